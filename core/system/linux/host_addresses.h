// Numeric addresses for the names people type. Blocks while a name server is asked (getaddrinfo(3)). Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

// IPv4 first, each once; of a numeric address itself. not_found: no such name; unavailable: nobody could be asked.
Result<std::vector<std::string>> addresses_of(const std::string& name);

// The NIC of each numeric address of this machine; loopback's not.
std::map<std::string, std::string> nics_by_address();

bool is_loopback_address(const std::string& numeric);

}  // namespace muster
