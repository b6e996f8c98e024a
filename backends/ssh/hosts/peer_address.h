// At which address each of several hosts is reached by the others. Pure.
#pragma once

#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "core/base/result.h"
#include "core/job/job_spec.h"

namespace muster {

// One for each report, all of which have facts; `hosts` are the same as the user named them. HostSpec::address where that
// says one: an address, or that of the NIC of this name. Else, of the networks that all the others share, that whose
// slowest NIC is fastest; where they share none, each host's fastest. One host alone needs none but the loopback's.
// not_found: a host has no such NIC, or no address at all; the message names it.
Result<std::vector<std::string>> peer_addresses(const std::vector<HostSpec>& hosts,
                                                const std::vector<HostReport>& reports);

}  // namespace muster
