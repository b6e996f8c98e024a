// SPDX-License-Identifier: Apache-2.0
// Describes how a rank ended because another had failed. Pure.
#pragma once

#include <string>

#include "core/job/exit_status.h"

namespace muster {

// "rank 0 was stopped because of it", "rank 2 lost its connection to it (gloo)", "rank 3 raised the same exception".
// `culprit`: the exit of the first failure.
std::string consequence_of(const std::string& name, const ExitStatus& exit, const ExitStatus& culprit);

}  // namespace muster
