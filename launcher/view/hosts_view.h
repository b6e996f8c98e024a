// SPDX-License-Identifier: Apache-2.0
// Hosts and their facts, as a table and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "core/client/view/style.h"

namespace muster {

// The hosts that answered; empty if none did. `wide` adds kernel, folder and addresses.
std::string hosts_table(const std::vector<HostReport>& reports, const Style& style, bool wide);

// For each host that did not answer: "a3: its host key is not in known_hosts\n  next: …".
std::string hosts_troubles(const std::vector<HostReport>& reports, const Style& style);

// Notes, one per line: differences between the hosts, clocks that are off, GPUs in use.
std::vector<std::string> hosts_remarks(const std::vector<HostReport>& reports);

std::string hosts_json(const std::vector<HostReport>& reports);

}  // namespace muster
