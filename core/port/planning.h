// SPDX-License-Identifier: Apache-2.0
// Planning: assigns the ranks of a job to nodes of a backend. Loop thread only.
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

// Facts of the submitting shell that planning needs.
struct JobOrigin {
  // CUDA_VISIBLE_DEVICES of the shell, if set. On the shell's own machine the job may use no other GPUs.
  std::optional<std::string> cuda_visible_devices;
  std::vector<JobHost> hosts;  // for a backend whose jobs bring their hosts
};

class Planning {
 public:
  virtual ~Planning() = default;

  // The plan of a job on the nodes of this backend, without the devices of `held`. resource_exhausted: the nodes could never
  // hold the job. unavailable: they cannot now; the message says what is missing and who holds it: "2 GPUs: llm-eval holds
  // 0, 1".
  virtual Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) = 0;
};

}  // namespace muster
