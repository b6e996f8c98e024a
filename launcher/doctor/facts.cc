#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/adapter/asio/asio_loop.h"
#include "core/adapter/linux/runtime_folder.h"
#include "core/base/text.h"
#include "launcher/doctor/doctor.h"
#include "launcher/run_program.h"
#include "launcher/wire/wire.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// What would be a warning in the controller's log.
class Warnings final : public Log {
 public:
  void write(LogLevel level, std::string_view message) override {
    if (level == LogLevel::warning) kept.emplace_back(message);
  }
  std::vector<std::string> kept;
};

uint64_t soft_limit(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

uint64_t hard_limit(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_max;
}

// A folder that is not there yet will be made in the first of its parents that is.
fs::path existing_part(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder != folder.parent_path()) folder = folder.parent_path();
  return folder;
}

void gather_disk(const std::string& folder, DoctorFacts& facts) {
  const fs::path place = existing_part(folder);
  facts.state_folder_writable = access(place.c_str(), W_OK) == 0;
  struct statvfs disk {};
  if (statvfs(place.c_str(), &disk) != 0) return;
  facts.state_disk_bytes = disk.f_blocks * disk.f_frsize;
  facts.state_disk_free_bytes = disk.f_bavail * disk.f_frsize;
}

// The group of /proc/self/cgroup's unified line: ours to divide when its controllers can be handed on.
std::string cgroup_mode() {
  std::error_code ignored;
  if (!fs::exists("/sys/fs/cgroup/cgroup.controllers", ignored)) {
    return fs::exists("/sys/fs/cgroup/memory", ignored) ? "v1" : "none";
  }
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line) && !line.starts_with("0::")) continue;
  const std::string own = line.starts_with("0::") ? line.substr(3) : "/";
  const std::string control = "/sys/fs/cgroup" + own + "/cgroup.subtree_control";
  return access(control.c_str(), W_OK) == 0 ? "v2, writable" : "v2, read-only";
}

void gather_python(const Surroundings& surroundings, DoctorFacts& facts) {
  const std::string path = surroundings.variable("PATH").value_or("");
  facts.python = find_program("python3", path, surroundings.workdir);
  if (facts.python.empty()) return;
  // find_spec first: importing torch takes seconds, its version file does not.
  const std::string script =
      "import sys, platform, importlib.util as u\n"
      "print(platform.python_version())\n"
      "import importlib.metadata as m\n"
      "try: print(m.version('torch') if u.find_spec('torch') else '')\n"
      "except m.PackageNotFoundError: print('unknown version')\n";
  const auto answer = run_program({.argv = {facts.python, "-c", script}, .environment = surroundings.environment});
  if (!answer.ok()) {
    facts.python_problem = answer.status().message();
  } else if (answer->exit_code != 0) {
    facts.python_problem = facts.python + " exited with code " + std::to_string(answer->exit_code);
  } else {
    const std::vector<std::string> lines = split(answer->out, '\n');
    facts.python_version = lines.empty() ? "" : lines[0];
    facts.torch_version = lines.size() < 2 ? "" : lines[1];
  }
}

std::string running_controller(const Surroundings& surroundings) {
  AsioLoop loop;
  const auto client = connect_controller(surroundings, loop, false);
  if (!client.ok()) return "";
  const auto info = (*client)->info();
  return info.ok() ? info->version + ", pid " + std::to_string(info->pid) + ", " + count_of(info->live_jobs, "live job")
                   : "";
}

void gather_machine(const Surroundings& surroundings, DoctorFacts& facts) {
  Warnings warnings;
  auto machine = machine_inventory(surroundings, warnings);
  facts.gpu_troubles = warnings.kept;
  if (machine.ok()) {
    facts.machine = std::move(*machine);
  } else {
    facts.machine_problem = machine.status().message();
  }
  utsname names{};
  if (uname(&names) == 0) facts.kernel = std::string(names.sysname) + " " + names.release;
  facts.cpus_online = static_cast<uint32_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 0L));
  facts.nvidia_driver = access("/dev/nvidiactl", F_OK) == 0;
}

}  // namespace

DoctorFacts gather_facts(const Surroundings& surroundings) {
  DoctorFacts facts;
  gather_machine(surroundings, facts);
  struct statvfs shared {};
  if (statvfs("/dev/shm", &shared) == 0) facts.shared_memory_bytes = shared.f_blocks * shared.f_frsize;
  facts.open_files_soft = soft_limit(RLIMIT_NOFILE);
  facts.open_files_hard = hard_limit(RLIMIT_NOFILE);
  facts.processes_soft = soft_limit(RLIMIT_NPROC);
  facts.locked_memory_soft = soft_limit(RLIMIT_MEMLOCK);
  facts.cgroup_mode = cgroup_mode();
  facts.systemd = access("/run/systemd/system", F_OK) == 0;
  gather_python(surroundings, facts);
  facts.state_folder = state_folder(surroundings);
  facts.state_folder_named = surroundings.variable("MUSTER_STATE_DIR").has_value();
  if (const Result<std::string> folder = runtime_folder(); folder.ok()) facts.runtime_folder = *folder;
  gather_disk(facts.state_folder, facts);
  facts.controller = running_controller(surroundings);
  return facts;
}

}  // namespace muster
