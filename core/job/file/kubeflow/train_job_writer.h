// SPDX-License-Identifier: Apache-2.0
// Writes a job as a TrainJob and a TrainingRuntime for Kubeflow Trainer. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/job_spec.h"

namespace muster {

struct TrainJobObjects {
  std::vector<std::string> objects;  // the TrainingRuntime, then the TrainJob; JSON on one line each
  std::vector<std::string> notes;    // what a TrainJob cannot say, one sentence each
};

// failed_precondition: a job that no TrainJob can describe, such as one with several groups.
Result<TrainJobObjects> train_job_objects(const JobSpec& spec);

}  // namespace muster
