// What `muster doctor` looks at and what it thinks of it: facts are gathered (facts.cc, which asks the system),
// judged (judge.cc, pure) and shown (view.cc, pure).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/plan.h"
#include "launcher/surroundings.h"
#include "launcher/view/style.h"

namespace muster {

struct DoctorFacts {
  Inventory machine;
  std::string machine_problem;  // why there is no inventory; empty: there is one
  std::string kernel;           // "Linux 6.1.0"
  uint32_t cpus_online = 0;
  bool nvidia_driver = false;             // /dev/nvidiactl is there
  std::vector<std::string> gpu_troubles;  // NVML does not answer, a GPU is lost
  uint64_t shared_memory_bytes = 0;       // of /dev/shm; 0: none
  uint64_t state_disk_free_bytes = 0;
  uint64_t state_disk_bytes = 0;
  uint64_t open_files_soft = 0;
  uint64_t open_files_hard = 0;
  uint64_t processes_soft = 0;
  uint64_t locked_memory_soft = 0;  // UINT64_MAX: unlimited
  std::string cgroup_mode;          // "v2, writable", "v2, read-only", "v1", "none"
  bool systemd = false;             // it runs this machine and can hand a cgroup on
  std::string python;               // path; empty: none in PATH
  std::string python_version;
  std::string torch_version;  // empty: not importable
  std::string python_problem;
  std::string state_folder;
  bool state_folder_writable = true;
  bool state_folder_named = false;  // by MUSTER_STATE_DIR, which XDG_STATE_HOME does not change
  std::string runtime_folder;
  std::string controller;  // "0.1.0, pid 123"; empty: none runs
};

struct Finding {
  enum class Level { ok, note, problem } level = Level::ok;
  std::string subject;
  std::string text;
  std::string mend;  // what to do or type; empty when ok
  bool operator==(const Finding&) const = default;
};

// Blocks, for at most some 12 s.
DoctorFacts gather_facts(const Surroundings& surroundings);

std::vector<Finding> judge(const DoctorFacts& facts);

bool has_problem(const std::vector<Finding>& findings);
std::string doctor_view(const std::vector<Finding>& findings, Style style);
std::string doctor_json(const std::vector<Finding>& findings);

}  // namespace muster
