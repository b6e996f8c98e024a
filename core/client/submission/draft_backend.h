// SPDX-License-Identifier: Apache-2.0
// DraftBackend: the checks and steps that a backend adds to a draft. The program lists one for each backend that needs
// it; a front end that only submits jobs to this machine needs none. Stateless.
#pragma once

#include <string>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

struct JobDraft;
struct CallerContext;

class DraftBackend {
 public:
  virtual ~DraftBackend() = default;
  virtual BackendKind kind() const = 0;
  // Adds diagnostics and notes about the spec. Pure: does not contact a host or a cluster.
  virtual void check(JobDraft& draft, const CallerContext& caller) const = 0;
  // Packs the code that is copied to the job's nodes and returns its hash. Empty: no code is copied, or packing failed
  // and a diagnostic in the draft says why. May read the whole working folder.
  virtual std::string pack_code(JobDraft& draft, const CallerContext& caller) const = 0;
};

// Not owned; they must outlive every draft.
using DraftBackends = std::vector<const DraftBackend*>;

}  // namespace muster
