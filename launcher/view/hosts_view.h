// Hosts and what they have, for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "core/client/view/style.h"

namespace muster {

// Those that answered; empty: none did. `wide`: kernel, addresses and the folder there as well.
std::string hosts_table(const std::vector<HostReport>& reports, const Style& style, bool wide);

// For each that did not: "a3: its host key is not known here\n  next: …".
std::string hosts_troubles(const std::vector<HostReport>& reports, const Style& style);

// What differs between hosts that should be alike, and what stands in a job's way; a line each.
std::vector<std::string> hosts_remarks(const std::vector<HostReport>& reports);

std::string hosts_json(const std::vector<HostReport>& reports);

}  // namespace muster
