// SPDX-License-Identifier: Apache-2.0
// Facts about the machine: CPUs, memory, clock, GPUs and their driver.

#include <fcntl.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/client/doctor/parse.h"
#include "core/client/run_program.h"
#include "core/job/image/in_image.h"
#include "core/job/plan/visible_gpus.h"
#include "core/system/linux/proc_files.h"
#include "core/system/machine/linux_machine_info.h"
#include "core/system/machine/linux_machine_leases.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

constexpr Duration driver_patience = std::chrono::seconds(2);
constexpr Duration docker_patience = std::chrono::seconds(5);

// Collects the warnings that would be in the controller's log.
class Warnings final : public Log {
 public:
  void write(LogLevel level, std::string_view message) override {
    if (level == LogLevel::warning) kept.emplace_back(message);
  }
  std::vector<std::string> kept;
};

bool there(const char* path) { return access(path, F_OK) == 0; }

std::string first_word(const std::string& path) {
  const std::string text = read_small_file(path).value_or("");
  return text.substr(0, text.find_first_of(" \n"));
}

// The marker file alone proves nothing: some machines are made from container images.
bool in_container(const CallerContext& caller) {
  if (caller.variable("KUBERNETES_SERVICE_HOST") || caller.variable("container")) return true;
  const bool marked = there("/.dockerenv") || there("/run/.containerenv") || there("/run/systemd/container");
  return marked && !has_disk_as_root(read_small_file("/proc/self/mountinfo").value_or(""));
}

// docker is a client: without its daemon it opens no image.
void gather_image_programs(const CallerContext& caller, MachineFacts& machine) {
  for (const std::string& name : program_files(ContainerProgram::automatic)) {
    const std::string path = find_program(name, caller.variable("PATH").value_or(""), caller.workdir);
    if (!path.empty()) machine.image_programs.push_back(name);
    if (path.empty() || name != "docker" || !machine.root) continue;
    const auto asked =
        run_program({.argv = {path, "version"}, .environment = caller.environment, .patience = docker_patience});
    machine.docker_answers = asked.ok() && asked->exit_code == 0;
  }
}

void gather_kernel(const CallerContext& caller, MachineFacts& machine) {
  utsname names{};
  if (uname(&names) == 0) machine.kernel = std::string(names.sysname) + " " + names.release;
  machine.wsl = machine.kernel.find("icrosoft") != std::string::npos;
  machine.container = in_container(caller);
  machine.systemd = there("/run/systemd/system");
  machine.root = geteuid() == 0;
  gather_image_programs(caller, machine);
  machine.cpus_online = static_cast<uint32_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 0L));
  machine.governor = first_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  // These two drivers choose the frequency themselves; "powersave" does not make the CPU slow.
  const std::string driver = first_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
  if (driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate")) machine.governor.clear();
}

void gather_clock(MachineFacts& machine) {
  timex asked{};
  const int state = adjtimex(&asked);
  if (state >= 0) machine.clock_synchronised = state != TIME_ERROR && (asked.status & STA_UNSYNC) == 0;
  machine.clock_seconds = static_cast<int64_t>(time(nullptr));
}

// The current records of the kernel log. On most machines only root may read them.
std::string kernel_log() {
  const UniqueFd log(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string text;
  char record[8192];
  constexpr size_t most = 16 << 20;
  while (log.valid() && text.size() < most) {
    const ssize_t size = read(log.get(), record, sizeof record);
    if (size < 0 && errno == EPIPE) continue;  // the record was overwritten
    if (size <= 0) break;
    text.append(record, static_cast<size_t>(size));
  }
  return text;
}

// Removes the users of GPUs that a muster job of any user has claimed.
std::vector<GpuUser> strangers(std::vector<GpuUser> users, const std::vector<MachineShare>& told) {
  std::set<std::string> ours;
  for (const MachineShare& share : told) ours.insert(share.claim.gpus.begin(), share.claim.gpus.end());
  std::erase_if(users, [&](const GpuUser& user) { return ours.count(user.gpu) > 0; });
  return users;
}

}  // namespace

void gather_machine(const CallerContext& caller, MachineFacts& machine, GpuFacts& gpus) {
  gather_kernel(caller, machine);
  gather_clock(machine);
  machine.memory_free_bytes = meminfo_bytes(read_small_file("/proc/meminfo").value_or(""), "MemAvailable");
  machine.overcommit = std::atoi(first_word("/proc/sys/vm/overcommit_memory").c_str());
  Warnings warnings;
  LinuxMachineInfo info(warnings);
  machine.inventory = info.inventory();
  gpus.driver = there("/dev/nvidiactl");
  gpus.troubles = warnings.kept;
  const bool hangs = !warnings.kept.empty() && machine.inventory.gpus.empty();
  const std::vector<Gpu> all = machine.inventory.gpus;
  machine.inventory.gpus = visible_gpus(all, cuda_visible_devices(caller.environment));
  gpus.visible = cuda_visible_devices(caller.environment);
  if (!hangs && (gpus.driver || !all.empty())) gpus.health = nvml_health(NvmlGpus::kLibrary, driver_patience);
  if (there(leases_folder)) gpus.told = LinuxMachineLeases(leases_folder).told();
  if (!all.empty()) gpus.users = strangers(info.gpu_users(), gpus.told);
  if (gpus.driver) gpus.faults = gpu_faults(kernel_log());
}

}  // namespace muster
