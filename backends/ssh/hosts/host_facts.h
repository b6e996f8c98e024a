// What a host says of itself, as values and as the line of JSON that crosses the link. `muster facts` gathers it there, `muster
// hosts` reads it here, and takes it for what it is: a stranger's word.
#pragma once

#include <cstdint>
#include <map>
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
  uint32_t prefix = 0;  // of its network, in bits; 0: not known
  uint32_t mbit = 0;    // 0: the NIC does not tell
  bool operator==(const HostAddress&) const = default;
};

struct HostFacts {
  std::string version;  // of muster
  std::string host;     // as it calls itself
  std::string machine;  // alike for all names of one machine, of one container: its boot and its network
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
  std::vector<std::string> gpu_users;  // foreign ones: "mia's python (pid 811)"
  std::vector<Holder> holders;         // of some of it: jobs of any muster, and those foreign ones
  std::vector<HostAddress> addresses;  // not the loopback's
  uint64_t disk_free_bytes = 0;        // where muster's cache is
  uint32_t load_percent = 0;           // of the last minute, of one CPU
  std::string python;                  // "3.11.2"; empty: none is in PATH
  std::string torch;                   // "2.15.0"
  std::string torch_cuda;
  std::map<std::string, std::string>
      packages;              // others of Python that ranks may have to agree on, by name: their versions
  std::string max_startups;  // of its sshd, as its configuration says; empty: it does not, or cannot be read
  std::string driver;        // of the GPUs: "550.54.15"
  std::string proxy;         // the variable that sets one which does not even spare this machine; empty: none
  bool operator==(const HostFacts&) const = default;
};

// HostFacts::machine of this one.
std::string this_machine();

// Blocks, at most seconds (doctor/facts.h). Without `python` nothing is started for it.
HostFacts gather_host(const CallerContext& caller, bool python = true);

// One line without its end.
std::string facts_to_json(const HostFacts& facts);

// data_loss where it is none of ours. What is too long or too many is cut: 256 bytes a text, 4096 of a list.
Result<HostFacts> facts_from_json(std::string_view text);

}  // namespace muster
