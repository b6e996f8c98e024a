// SPDX-License-Identifier: Apache-2.0
// This machine's name as the kernel has it (gethostname(2)); it may be short or fully qualified. Any thread.
#pragma once

#include <string>

namespace muster {

std::string host_name();

}  // namespace muster
