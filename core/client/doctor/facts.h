// SPDX-License-Identifier: Apache-2.0
// The facts that `muster doctor` checks, as values. gather_*.cc read them from the system; parse.h parses the texts of
// system files and is pure.
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
  bool systemd = false;                     // systemd runs this machine and can delegate a cgroup
  bool root = false;                        // this process runs as root
  std::vector<std::string> image_programs;  // that open container images: "podman", "apptainer"
  bool docker_answers = true;               // docker's daemon; only asked by root, because users cannot use docker
  uint32_t cpus_online = 0;
  std::string governor;                       // cpufreq governor of CPU 0; empty: there is none
  std::optional<uint64_t> memory_free_bytes;  // available without swapping
  int overcommit = 0;                         // vm.overcommit_memory
  std::optional<bool> clock_synchronised;     // absent: unknown
  int64_t clock_seconds = 0;                  // since 1970
};

struct GpuFacts {
  bool driver = false;                // /dev/nvidiactl exists
  std::vector<std::string> troubles;  // problems, such as: NVML does not answer, a GPU is lost
  std::optional<NvmlHealth> health;
  std::vector<GpuUser> users;          // processes on GPUs that belong to no muster job
  std::vector<MachineShare> told;      // shares of muster jobs of all users
  std::vector<std::string> faults;     // "Xid 79 on 0000:3b:00", from the kernel log; empty if the log is not readable
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
  std::optional<int> ptrace_scope;  // absent: the kernel has no Yama
  std::string cgroup_mode;          // "v2, writable", "v2, read-only", "v1", "none"
};

struct DiskFacts {
  uint64_t free_bytes = 0;
  uint64_t bytes = 0;  // 0: unknown
  uint64_t free_inodes = 0;
  uint64_t inodes = 0;  // 0: the file system does not count inodes
  bool exists = true;   // false: the folder would be created
  bool writable = true;
  bool no_exec = false;
  std::string network;  // type of a network file system, such as "NFS"; empty: a local one
};

struct StorageFacts {
  uint64_t shared_memory_bytes = 0;  // size of /dev/shm; 0: none
  uint64_t shared_memory_free_bytes = 0;
  DiskFacts state;
  std::string state_folder;   // empty: it cannot be determined
  std::string state_problem;  // why it cannot
  std::string state_instead;  // why it is not the usual folder (StatePlace); empty: it is
  bool state_exists = false;
  bool state_named = false;           // MUSTER_STATE_DIR is set; then XDG_STATE_HOME has no effect
  bool state_foreign = false;         // it belongs to another user
  bool state_open = false;            // other users may write to it
  uint64_t state_used_bytes = 0;      // used by ended and live jobs
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
  size_t taken = 0;  // ports of `leased` in use by any process
  std::optional<PortSpan> ephemeral;
  std::vector<PortSpan> reserved;  // ephemeral ports that the kernel does not assign (ip_local_reserved_ports)
  std::string loopback_problem;    // empty: a connection to 127.0.0.1 succeeded
  std::string host;
  std::optional<bool> host_resolves;  // absent: getent could not be run
  std::string proxy;                  // name of a proxy variable that is set, such as "http_proxy"; empty: none
  bool proxy_spares_us = true;        // no_proxy contains localhost and 127.0.0.1
};

struct PythonFacts {
  std::string asked;  // value of --python; empty: the interpreter that `muster run` uses
  std::string path;   // empty: none
  std::string problem;
  std::string version;
  std::map<std::string, std::string> packages;  // version by name: "torch" → "2.3.1"
  std::string torch_cuda;                       // "12.1"; empty: none or unknown
  bool torch_built = false;                     // torch's version file was found
  std::string torch_shadow;                     // a file in the working folder that is imported instead of torch
  std::string virtual_env;                      // VIRTUAL_ENV or CONDA_PREFIX, if this Python is not part of it
  std::string mpirun;
  std::string pmix;
};

struct OwnFacts {
  std::string version;
  std::string program;
  std::string runtime_folder;
  std::string runtime_problem;
  std::vector<std::string> stale_sockets;  // sockets of processes that are gone
  std::vector<std::string> dead_leases;    // lease files of this user that no process holds
  bool listens = false;                    // a process listens at the controller's socket
  std::string controller_pid;              // empty: no controller ever ran
  std::string controller_version;          // empty: it does not answer
  uint32_t live_jobs = 0;
  bool other_build = false;
  std::vector<std::string> poorer;  // names of limits that are lower in the controller than in this process
  std::string settings_problem;     // "MUSTER_IDLE: …": a setting that keeps controllers from starting
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
