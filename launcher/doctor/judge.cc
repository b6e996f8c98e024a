#include <algorithm>

#include "core/base/text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr uint64_t gib = 1ULL << 30;
constexpr uint64_t mib = 1ULL << 20;
constexpr uint64_t enough_shared_memory = gib;  // NCCL and DataLoader workers put their buffers there
constexpr uint64_t scarce_disk = 2 * gib;
constexpr uint64_t no_disk = 64 * mib;
constexpr uint64_t enough_files = 4096;
constexpr uint64_t enough_processes = 1024;

Finding ok(const std::string& subject, const std::string& text) { return {Level::ok, subject, text, ""}; }

Finding machine(const DoctorFacts& facts) {
  if (facts.machine_problem.empty()) return ok("machine", facts.machine.host + ", " + facts.kernel);
  return {Level::problem, "machine", facts.machine_problem, "muster render shows what muster sees"};
}

Finding cpus(const DoctorFacts& facts) {
  const size_t ours = facts.machine.cpus.size();
  if (ours >= facts.cpus_online) return ok("cpus", count_of(ours, "CPU"));
  return {Level::note, "cpus",
          std::to_string(ours) + " of " + count_of(facts.cpus_online, "CPU") + " are ours (affinity mask)",
          "taskset -p $$ shows the mask of this shell"};
}

Finding gpus(const DoctorFacts& facts) {
  if (!facts.gpu_troubles.empty()) {
    return {Level::note, "gpus",
            count_of(facts.machine.gpus.size(), "GPU") + " to use; " + join(facts.gpu_troubles, "; "), "nvidia-smi"};
  }
  if (!facts.machine.gpus.empty()) {
    const Gpu& first = facts.machine.gpus.front();
    return ok("gpus", std::to_string(facts.machine.gpus.size()) + " × " + first.name + ", " +
                          humane_size(first.memory_bytes) + " each");
  }
  if (!facts.nvidia_driver) return ok("gpus", "none seen; jobs run on CPUs");
  return {Level::note, "gpus", "an NVIDIA driver is there, but libnvidia-ml.so.1 shows no GPU",
          "nvidia-smi; and CUDA_VISIBLE_DEVICES"};
}

Finding shared_memory(const DoctorFacts& facts) {
  const std::string size = humane_size(facts.shared_memory_bytes) + " in /dev/shm";
  if (facts.shared_memory_bytes >= enough_shared_memory) return ok("shared memory", size);
  return {Level::note, "shared memory", size + "; DataLoader workers and NCCL may end with SIGBUS",
          "mount -o remount,size=8G /dev/shm, or docker run --shm-size=8g"};
}

Finding disk(const DoctorFacts& facts) {
  const std::string text = humane_size(facts.state_disk_free_bytes) + " free of " +
                           humane_size(facts.state_disk_bytes) + " for output and journals";
  if (facts.state_disk_free_bytes < no_disk)
    return {Level::problem, "disk", text, "muster rm --all forgets ended jobs and their output"};
  if (facts.state_disk_free_bytes < scarce_disk)
    return {Level::note, "disk", text, "muster rm --all forgets ended jobs and their output"};
  return ok("disk", text);
}

Finding state(const DoctorFacts& facts) {
  if (facts.state_folder_writable) return ok("state", facts.state_folder);
  const std::string variable = facts.state_folder_named ? "MUSTER_STATE_DIR" : "XDG_STATE_HOME";
  return {Level::problem, "state", facts.state_folder + " cannot be written",
          "export " + variable + "=/a/folder/of/yours"};
}

std::string limit_text(uint64_t limit) { return limit == UINT64_MAX ? "unlimited" : humane_count(limit); }

Finding open_files(const DoctorFacts& facts) {
  const std::string text = limit_text(facts.open_files_soft) + " open files";
  if (facts.open_files_soft >= enough_files) return ok("open files", text);
  if (facts.open_files_hard > facts.open_files_soft)
    return {Level::note, "open files", text + " for ranks",
            "ulimit -n " + std::to_string(std::min<uint64_t>(facts.open_files_hard, 65536))};
  return {Level::note, "open files", text + ", and no more allowed", "nofile in /etc/security/limits.conf"};
}

Finding processes(const DoctorFacts& facts) {
  const std::string text = limit_text(facts.processes_soft) + " processes of this user";
  if (facts.processes_soft >= enough_processes) return ok("processes", text);
  return {Level::note, "processes", text, "ulimit -u 4096"};
}

Finding locked_memory(const DoctorFacts& facts) {
  if (facts.locked_memory_soft == UINT64_MAX) return ok("locked memory", "unlimited");
  return {Level::note, "locked memory", humane_size(facts.locked_memory_soft) + "; enough but for InfiniBand",
          "ulimit -l unlimited"};
}

Finding cgroup(const DoctorFacts& facts) {
  if (facts.cgroup_mode == "v2, writable") return ok("cgroup", facts.cgroup_mode + ": memory limits are the kernel's");
  return {Level::note, "cgroup", facts.cgroup_mode + ": memory limits are watched by muster, a little late",
          facts.systemd ? "systemd-run --user --scope -p Delegate=yes muster run …"
                        : "a writable cgroup v2 from whoever started this container; without one nothing breaks"};
}

Finding python(const DoctorFacts& facts) {
  if (facts.python.empty())
    return {Level::note, "python", "no python3 in PATH", "apt-get install python3, or activate your environment"};
  if (!facts.python_problem.empty()) return {Level::problem, "python", facts.python_problem, facts.python + " -V"};
  const std::string text = facts.python_version + " at " + facts.python;
  if (!facts.torch_version.empty()) return ok("python", text + ", torch " + facts.torch_version);
  return {Level::note, "python", text + ", without torch",
          "pip install torch, or activate the environment that has it"};
}

Finding controller(const DoctorFacts& facts) {
  return ok("controller", facts.controller.empty() ? "none runs; muster run starts one" : facts.controller);
}

}  // namespace

std::vector<Finding> judge(const DoctorFacts& facts) {
  return {machine(facts),
          cpus(facts),
          gpus(facts),
          ok("memory", facts.machine.memory_bytes ? humane_size(*facts.machine.memory_bytes) : "unknown"),
          shared_memory(facts),
          disk(facts),
          open_files(facts),
          processes(facts),
          locked_memory(facts),
          cgroup(facts),
          python(facts),
          state(facts),
          ok("runtime", facts.runtime_folder),
          controller(facts)};
}

bool has_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.level == Level::problem; });
}

}  // namespace muster
