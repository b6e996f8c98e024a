// SPDX-License-Identifier: Apache-2.0
// Converts a torchrun command line to a job: settings, the ranks' command, and the JobSpec for the controller. Reads the file system;
// creates and starts nothing.
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
  // True if the run needs a folder for its log files.
  bool wants_folder() const;
};

// Errors are those of settle_torchrun() and torchrun_command(). Preflight runs later, when the draft is completed.
Result<TorchrunJob> torchrun_job(const TorchrunFlags& flags, const CallerContext& caller);

}  // namespace muster
