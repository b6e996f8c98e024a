// SPDX-License-Identifier: Apache-2.0
// HostFacts: what a host reports about itself, as values and as a line of JSON. `muster facts` gathers them on the host; the command
// that asked parses the line and does not trust it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/client/caller_context.h"
#include "core/job/plan/claim.h"
#include "core/job/plan/plan.h"

namespace muster {

struct HostAddress {
  std::string nic;
  std::string address;  // numeric
  uint32_t prefix = 0;  // length of the network prefix, in bits; 0: unknown
  uint32_t mbit = 0;    // speed of the NIC in Mbit/s; 0: unknown
  bool operator==(const HostAddress&) const = default;
};

struct HostFacts {
  std::string version;  // of muster
  std::string host;     // its own host name
  std::string machine;  // the same for all names of one machine or container: boot id and network namespace
  std::string user;
  std::string kernel;
  std::string loopback;  // MachineInfo::loopback
  uint32_t cpus = 0;
  uint32_t numa_nodes = 0;
  std::vector<uint32_t> cpu_order;  // Inventory::cpus
  std::vector<CpuPlace> places;
  uint64_t memory_bytes = 0;
  uint64_t memory_free_bytes = 0;
  std::vector<Gpu> gpus;
  std::vector<std::string> gpu_users;  // processes outside muster: "mia's python (pid 811)"
  std::vector<Holder> holders;         // who uses part of the host: jobs of any muster, and processes outside muster
  std::vector<HostAddress> addresses;  // without loopback
  uint64_t disk_free_bytes = 0;        // on the disk of muster's cache
  uint32_t load_percent = 0;           // load average of the last minute; 100: one CPU
  std::string python;                  // "3.11.2"; empty: the interpreter is not there
  std::string torch;                   // "2.15.0"
  std::string torch_cuda;
  std::map<std::string, std::string>
      packages;              // versions by name: other Python packages whose versions may have to be equal on all ranks
  std::string max_startups;  // MaxStartups of its sshd_config; empty: not set, or the file cannot be read
  std::string driver;        // GPU driver: "550.54.15"
  std::string proxy;         // the variable with a proxy that is used even for localhost; empty: none
  bool operator==(const HostFacts&) const = default;
};

// HostFacts::machine of this machine.
std::string this_machine();

// Blocks for some seconds at most (doctor/facts.h). `python`: the interpreter to ask, as gather_python() takes it; absent: none is asked.
HostFacts gather_host(const CallerContext& caller, const std::optional<std::string>& python);

// One line, without the newline.
std::string facts_to_json(const HostFacts& facts);

// data_loss: not the JSON of `muster facts`. Texts are cut to 256 bytes, lists to 4096 elements.
Result<HostFacts> facts_from_json(std::string_view text);

}  // namespace muster
