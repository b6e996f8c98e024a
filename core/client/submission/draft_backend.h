// DraftBackend: what a backend adds to a draft beside what every job has. One per backend that adds anything; the
// program lists them, and a front end that submits jobs to this machine alone needs none. Stateless.
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
  // Adds diagnostics and remarks about what the spec says. Pure: no host and no cluster is asked.
  virtual void check(JobDraft& draft, const CallerContext& caller) const = 0;
  // Packs the code that travels to the job's nodes and returns its hash. Empty: none travels, or a diagnostic in the draft says
  // why it cannot. May read the whole working folder.
  virtual std::string pack_code(JobDraft& draft, const CallerContext& caller) const = 0;
};

// Not owned; they outlive every draft.
using DraftBackends = std::vector<const DraftBackend*>;

}  // namespace muster
