// SPDX-License-Identifier: Apache-2.0
// Chooses the address at which each host of a job is reached by the others. Pure.
#pragma once

#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "core/base/result.h"
#include "core/job/job_spec.h"

namespace muster {

// Returns one address per report. All reports have facts; `hosts` are the same hosts as the user named them.
//
// - If HostSpec::address is set: that address, or the address of the NIC with that name.
// - Otherwise, of the networks that all hosts without such a setting share, the one whose slowest NIC is fastest.
// - If they share no network: the address of each host's fastest NIC.
// - A single host: the loopback address.
//
// not_found: a host has no such NIC, or no address; the message names the host.
Result<std::vector<std::string>> peer_addresses(const std::vector<HostSpec>& hosts,
                                                const std::vector<HostReport>& reports);

}  // namespace muster
