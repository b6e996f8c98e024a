// From a torchrun command line to a job: settings, the ranks' command, and the JobSpec that a controller gets. Looks for files;
// makes and starts nothing.
#pragma once

#include <string>

#include "core/client/caller_context.h"
#include "core/client/submission/job_draft.h"
#include "launcher/torchrun/output_rules.h"
#include "launcher/torchrun/settings.h"

namespace muster {

struct TorchrunJob {
  TorchrunFlags flags;
  TorchrunSettings settings;
  OutputRules rules;
  JobDraft draft;
  std::string interpreter;  // of the ranks; empty: none
  // The run has a folder of its own for files.
  bool wants_folder() const;
};

// Fails as settle_torchrun and torchrun_command do. What preflight finds is in the draft once it was completed.
Result<TorchrunJob> torchrun_job(const TorchrunFlags& flags, const CallerContext& caller);

}  // namespace muster
