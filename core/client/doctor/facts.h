// What `muster doctor` looks at, as values. Gathered in gather_*.cc, which ask the system; texts of its files are read in
// parse.h, which is pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/client/caller_context.h"
#include "core/job/plan/plan.h"
#include "core/port/machine_info.h"
#include "core/system/nvml/nvml_health.h"

namespace muster {

constexpr const char* leases_folder = "/tmp/muster-leases";  // LinuxMachineLeases

struct MachineFacts {
  Inventory inventory;
  std::string kernel;  // "Linux 6.1.0"
  bool container = false;
  bool wsl = false;
  bool systemd = false;  // it runs this machine and can hand a cgroup on
  bool root = false;     // we are
  uint32_t cpus_online = 0;
  std::string governor;                       // of CPU 0; empty: there is none
  std::optional<uint64_t> memory_free_bytes;  // without swapping
  int overcommit = 0;                         // vm.overcommit_memory
  std::optional<bool> clock_synchronised;     // absent: the kernel does not tell
  int64_t clock_seconds = 0;                  // since 1970
};

struct GpuFacts {
  bool driver = false;                // /dev/nvidiactl is there
  std::vector<std::string> troubles;  // NVML does not answer, a GPU is lost
  std::optional<NvmlHealth> health;
  std::vector<GpuUser> users;       // that no job of muster's answers for
  std::vector<MachineShare> told;   // jobs of muster's, anybody's
  std::vector<std::string> faults;  // "Xid 79 on 0000:3b:00", of the kernel's log; empty also where we may not read it
  std::optional<std::string> visible;  // CUDA_VISIBLE_DEVICES
};

// UINT64_MAX: unlimited.
struct LimitFacts {
  uint64_t open_files_soft = 0;
  uint64_t open_files_hard = 0;
  uint64_t processes_soft = 0;
  uint64_t processes_hard = 0;
  uint64_t locked_memory_soft = 0;
  uint64_t core_soft = 0;
  std::string core_pattern;
  bool infiniband = false;
  std::optional<int> ptrace_scope;  // absent: no Yama here
  std::string cgroup_mode;          // "v2, writable", "v2, read-only", "v1", "none"
};

struct DiskFacts {
  uint64_t free_bytes = 0;
  uint64_t bytes = 0;  // 0: not known
  uint64_t free_inodes = 0;
  uint64_t inodes = 0;  // 0: this file system does not count them
  bool exists = true;   // else it would be made
  bool writable = true;
  bool no_exec = false;
  std::string network;  // "NFS"; empty: it is of this machine
};

struct StorageFacts {
  uint64_t shared_memory_bytes = 0;  // of /dev/shm; 0: none
  uint64_t shared_memory_free_bytes = 0;
  DiskFacts state;
  std::string state_folder;   // empty: there is no place for one
  std::string state_problem;  // why
  bool state_exists = false;
  bool state_named = false;           // by MUSTER_STATE_DIR, which XDG_STATE_HOME does not change
  bool state_foreign = false;         // it belongs to somebody else
  bool state_open = false;            // others may write there
  uint64_t state_used_bytes = 0;      // by ended and live jobs
  uint64_t keep_bytes = 20ULL << 30;  // MUSTER_KEEP_SIZE; 0: no limit
  DiskFacts temporary;
  std::string temporary_folder;
};

struct PortSpan {
  uint16_t first = 0;
  uint16_t last = 0;
  bool operator==(const PortSpan&) const = default;
};

struct NetworkFacts {
  PortSpan leased{20000, 27999};
  size_t taken = 0;  // of them, by whoever
  std::optional<PortSpan> ephemeral;
  std::vector<PortSpan> reserved;  // of those, ports that the kernel deals to nobody
  std::string loopback_problem;    // empty: a connection to 127.0.0.1 came through
  std::string host;
  std::optional<bool> host_resolves;  // absent: nobody to ask
  std::string proxy;                  // "http_proxy": a variable that is set; empty: none
  bool proxy_spares_us = true;        // no_proxy has localhost and 127.0.0.1
};

struct PythonFacts {
  std::string asked;  // by --python; empty: what `muster run` takes
  std::string path;   // empty: none
  std::string problem;
  std::string version;
  std::map<std::string, std::string> packages;  // by their name: "torch" → "2.3.1"
  std::string torch_cuda;                       // "12.1"; empty: none, or not known
  bool torch_built = false;                     // its version file was found
  std::string torch_shadow;                     // a file of the working folder that is imported in torch's place
  std::string virtual_env;                      // VIRTUAL_ENV or CONDA_PREFIX that this python is not of
  std::string mpirun;
  std::string pmix;
};

struct OwnFacts {
  std::string version;
  std::string program;
  std::string runtime_folder;
  std::string runtime_problem;
  std::vector<std::string> stale_sockets;  // of processes that are gone
  std::vector<std::string> dead_leases;    // files of ours that nobody holds
  bool listens = false;                    // somebody does at the controller's socket
  std::string controller_pid;              // empty: none was ever there
  std::string controller_version;          // empty: it does not answer
  uint32_t live_jobs = 0;
  bool other_build = false;
  std::vector<std::string> poorer;  // limits that it has lower than we do
  std::string settings_problem;     // "MUSTER_IDLE: …": with it no controller starts
};

struct DoctorFacts {
  MachineFacts machine;
  GpuFacts gpus;
  LimitFacts limits;
  StorageFacts storage;
  NetworkFacts network;
  PythonFacts python;
  OwnFacts own;
};

void gather_machine(const CallerContext& caller, MachineFacts& machine, GpuFacts& gpus);
LimitFacts gather_limits();
StorageFacts gather_storage(const CallerContext& caller);
NetworkFacts gather_network(const CallerContext& caller);
PythonFacts gather_python(const CallerContext& caller, const std::string& python);

}  // namespace muster
