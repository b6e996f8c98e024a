// SPDX-License-Identifier: Apache-2.0
// Numeric addresses for host names. Blocks while a name server is asked (getaddrinfo(3)). Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

// IPv4 first, without duplicates; a numeric address returns itself. not_found: no such name; unavailable: no name server answered.
Result<std::vector<std::string>> addresses_of(const std::string& name);

// The NIC of each numeric address of this machine, without loopback addresses.
std::map<std::string, std::string> nics_by_address();

bool is_loopback_address(const std::string& numeric);

}  // namespace muster
