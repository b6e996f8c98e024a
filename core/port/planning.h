// Planning: lays a job out on the nodes that a backend has. Loop thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/job_spec.h"
#include "core/job/plan/claim.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"

namespace muster {

// What a job brings from where it was submitted.
struct JobOrigin {
  // Of the submitting shell, unset or not. Nodes of that shell's machine have no other GPUs for the job.
  std::optional<std::string> cuda_visible_devices;
  std::vector<JobHost> hosts;  // of a backend that does not know them by itself
};

class Planning {
 public:
  virtual ~Planning() = default;

  // The plan of a job on the nodes this backend has, beside those of `held`. resource_exhausted: they could never
  // hold it; unavailable: not now; the message says what it waits for and who holds that: "2 GPUs: llm-eval holds 0,
  // 1".
  virtual Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) = 0;
};

}  // namespace muster
