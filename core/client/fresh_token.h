// A token that the pods of one job share.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// 64 hexadecimal digits from the system, never from a seed: whoever guesses it may join the job.
Result<std::string> fresh_token();

}  // namespace muster
