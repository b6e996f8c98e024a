// SPDX-License-Identifier: Apache-2.0
// Parses kernel files and the output of programs for `muster doctor`. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/client/doctor/facts.h"

namespace muster {

// A field of /proc/meminfo, such as "MemAvailable", in bytes.
std::optional<uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view field);

// Parses net.ipv4.ip_local_port_range: "32768\t60999".
std::optional<PortSpan> read_port_range(std::string_view text);

// Parses net.ipv4.ip_local_reserved_ports: "8080,20000-27999".
std::vector<PortSpan> read_port_list(std::string_view text);

// Whether every port of `inner` is in one of `spans`.
bool covers(const std::vector<PortSpan>& spans, PortSpan inner);

bool overlap(PortSpan a, PortSpan b);

// Adds the local ports in `table` (/proc/net/tcp or tcp6) that are within `span` to `ports`, each once.
void add_ports(std::string_view table, PortSpan span, std::vector<uint16_t>& ports);

// Whether `hosts`, the text of /etc/hosts, has an address for the name.
bool names_host(std::string_view hosts, std::string_view name);

// The name of a proxy variable that is set, such as "http_proxy" or "HTTP_PROXY". Empty: none.
std::string proxy_variable(const std::map<std::string, std::string>& environment);

// Whether no_proxy excludes connections to this machine from the proxy.
bool spares_loopback(const std::map<std::string, std::string>& environment);

// Whether the root file system is a disk, by /proc/self/mountinfo: true on a machine, false in most containers.
bool has_disk_as_root(std::string_view mountinfo);

// The name of a network file system, such as "NFS", by its statfs(2) type. Empty: a local file system.
std::string network_name(uint64_t file_system);

// Errors of the NVIDIA driver in the kernel log: "Xid 79 on 0000:3b:00", each once, oldest first.
std::vector<std::string> gpu_faults(std::string_view log);

// Inodes of locked files, from the text of /proc/locks; of all file systems.
std::vector<uint64_t> locked_inodes(std::string_view locks);

// Parses the lines "word\tvalue" that the script in gather_python.cc prints.
void read_python_answer(std::string_view text, PythonFacts& facts);

// The value of MaxStartups in the text of an sshd_config. Empty: not set.
std::string max_startups(const std::string& settings);

}  // namespace muster
