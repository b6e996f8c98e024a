// What files of the kernel and words of programs tell the doctor. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/client/doctor/facts.h"

namespace muster {

// A field of /proc/meminfo ("MemAvailable"), in bytes.
std::optional<uint64_t> meminfo_bytes(std::string_view meminfo, std::string_view field);

// "32768\t60999" of net.ipv4.ip_local_port_range.
std::optional<PortSpan> read_port_range(std::string_view text);

// "8080,20000-27999" of net.ipv4.ip_local_reserved_ports.
std::vector<PortSpan> read_port_list(std::string_view text);

// Whether every port of `inner` is in one of `spans`.
bool covers(const std::vector<PortSpan>& spans, PortSpan inner);

bool overlap(PortSpan a, PortSpan b);

// Local ports within `span` in /proc/net/tcp or tcp6, each once, added to `ports`.
void add_ports(std::string_view table, PortSpan span, std::vector<uint16_t>& ports);

// Whether hosts(5) has an address for the name.
bool names_host(std::string_view hosts, std::string_view name);

// The variable of a proxy that is set ("http_proxy"), in either case; empty: none.
std::string proxy_variable(const std::map<std::string, std::string>& environment);

// Whether no_proxy keeps connections to this machine away from a proxy.
bool spares_loopback(const std::map<std::string, std::string>& environment);

// Whether the root is a container's, by /proc/self/mountinfo: a plain disk at its top is a machine's own.
bool has_disk_as_root(std::string_view mountinfo);

// "NFS" by statfs(2)'s type; empty: a file system of this machine.
std::string network_name(uint64_t file_system);

// What the kernel's log says of NVIDIA's driver: "Xid 79 on 0000:3b:00", each once, oldest first.
std::vector<std::string> gpu_faults(std::string_view log);

// Inodes of files that somebody holds a lock on, by /proc/locks; of any file system.
std::vector<uint64_t> locked_inodes(std::string_view locks);

// Lines "word value" that our question to an interpreter prints (gather_python.cc).
void read_python_answer(std::string_view text, PythonFacts& facts);

// MaxStartups of the text of an sshd_config; empty: it says none.
std::string max_startups(const std::string& settings);

}  // namespace muster
