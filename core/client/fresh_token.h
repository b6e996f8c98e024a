// SPDX-License-Identifier: Apache-2.0
// A random token that the pods of one job share.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// 64 hexadecimal digits from the kernel's random generator, never from a seed: the token is the right to join the job.
Result<std::string> fresh_token();

}  // namespace muster
