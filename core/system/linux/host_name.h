// This machine's name as the kernel has it (gethostname(2)): short or full, as somebody set it. Any thread.
#pragma once

#include <string>

namespace muster {

std::string host_name();

}  // namespace muster
