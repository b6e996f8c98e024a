// SPDX-License-Identifier: Apache-2.0
// A job as the TrainJob that it was read from, with its status in the words of Kubeflow Trainer. Pure.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/port/control_messages.h"

namespace muster {

// The TrainJob as JSON, as `kubectl get trainjob -o json` prints it. failed_precondition: the job was read from another
// file.
Result<std::string> train_job_json(const JobView& job);

}  // namespace muster
