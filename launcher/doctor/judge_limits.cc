// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr uint64_t enough_files = 4096;
constexpr uint64_t enough_processes = 1024;

std::string limit_text(uint64_t limit) { return limit == UINT64_MAX ? "unlimited" : humane_count(limit); }

Finding open_files(const DoctorFacts& facts) {
  const LimitFacts& limits = facts.limits;
  const std::string text = limit_text(limits.open_files_soft) + " open files";
  if (limits.open_files_soft >= enough_files) return {Level::ok, "open files", text, "", ""};
  const std::string effect = "DataLoader workers and many connections may fail with EMFILE";
  if (limits.open_files_hard > limits.open_files_soft)
    return {Level::note, "open files", text + " for each rank", effect,
            "ulimit -n " + std::to_string(std::min<uint64_t>(limits.open_files_hard, 65536))};
  return {Level::note, "open files", text + ", and the hard limit allows no more", effect,
          "echo '* - nofile 65536' | " + by_root(facts, "tee -a /etc/security/limits.conf")};
}

Finding processes(const DoctorFacts& facts) {
  const LimitFacts& limits = facts.limits;
  const std::string text = limit_text(limits.processes_soft) + " processes of this user";
  if (limits.processes_soft >= enough_processes) return {Level::ok, "processes", text, "", ""};
  const std::string effect = "threads count too: ranks may be unable to start threads";
  if (limits.processes_hard > limits.processes_soft)
    return {Level::note, "processes", text, effect,
            "ulimit -u " + std::to_string(std::min<uint64_t>(limits.processes_hard, 65536))};
  return {Level::note, "processes", text + ", and the hard limit allows no more", effect,
          "echo '* - nproc 65536' | " + by_root(facts, "tee -a /etc/security/limits.conf")};
}

Finding locked_memory(const DoctorFacts& facts) {
  const LimitFacts& limits = facts.limits;
  if (limits.locked_memory_soft == UINT64_MAX) return {Level::ok, "locked memory", "unlimited", "", ""};
  const std::string text = humane_size(limits.locked_memory_soft);
  if (!limits.infiniband) return {Level::ok, "locked memory", text + "; enough, as there is no InfiniBand", "", ""};
  return {Level::note, "locked memory", text + ", with InfiniBand", "NCCL cannot register its buffers",
          "echo '* - memlock unlimited' | " + by_root(facts, "tee -a /etc/security/limits.conf")};
}

Finding core_files(const LimitFacts& limits) {
  if (limits.core_soft == 0) return {Level::ok, "core files", "none (ulimit -c 0)", "", ""};
  const std::string pattern = limits.core_pattern.empty() ? "core" : limits.core_pattern;
  if (pattern.starts_with('|'))
    return {Level::ok, "core files", "passed to " + pattern.substr(1, pattern.find(' ') - 1), "", ""};
  return {Level::ok, "core files",
          "written to " + pattern +
              (limits.core_soft == UINT64_MAX ? "" : ", " + humane_size(limits.core_soft) + " at most"),
          "", ""};
}

Finding tracing(const DoctorFacts& facts) {
  const int scope = facts.limits.ptrace_scope.value_or(0);
  if (scope < 2 || (scope == 2 && facts.machine.root))
    return {Level::ok, "tracing", "stacks of hanging ranks can be read", "", ""};
  const std::string text = "kernel.yama.ptrace_scope is " + std::to_string(scope);
  const std::string effect = "muster detects a hang, but cannot show the functions in which ranks are blocked";
  const std::string mend =
      scope == 2
          ? by_root(facts, "sysctl -w kernel.yama.ptrace_scope=1")
          : "set kernel.yama.ptrace_scope=1 in /etc/sysctl.d and reboot: 3 cannot be changed while the system runs";
  return {Level::note, "tracing", text, effect, mend};
}

Finding cgroup(const DoctorFacts& facts) {
  const std::string& mode = facts.limits.cgroup_mode;
  if (mode == "v2, writable") return {Level::ok, "cgroup", mode + ": the kernel enforces memory limits", "", ""};
  return {Level::note, "cgroup", mode, "muster enforces memory limits by polling, with a short delay",
          facts.machine.systemd ? "systemd-run --user --scope -p Delegate=yes muster run …"
                                : "optional: start the container with a writable cgroup v2"};
}

}  // namespace

std::vector<Finding> judge_limits(const DoctorFacts& facts) {
  return {open_files(facts),        processes(facts), locked_memory(facts),
          core_files(facts.limits), tracing(facts),   cgroup(facts)};
}

}  // namespace muster
