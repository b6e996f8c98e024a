// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/clone_process.h"
#include "core/system/linux/process/close_descriptors.h"
#include "core/system/linux/process/spawn_child.h"
#include "core/system/linux/process/spawn_failure.h"
#include "core/system/posix/program_search.h"
#include "core/system/posix/signals_blocked.h"

namespace muster {
namespace {

// Pointers into `texts`, followed by the null that execve(2) needs.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Sized by the highest CPU: a machine may have more than the 1024 CPUs of a plain cpu_set_t (CPU_SET(3)).
std::vector<cpu_set_t> cpu_mask(const std::vector<uint32_t>& cpus) {
  if (cpus.empty()) return {};
  const size_t highest = *std::max_element(cpus.begin(), cpus.end());
  std::vector<cpu_set_t> mask(highest / CPU_SETSIZE + 1);
  for (const uint32_t cpu : cpus) CPU_SET_S(cpu, mask.size() * sizeof(cpu_set_t), mask.data());
  return mask;
}

uint64_t signal_bits(const std::vector<uint32_t>& numbers) {
  uint64_t bits = 0;
  for (const uint32_t number : numbers) {
    if (number >= 1 && number < NSIG) bits |= uint64_t{1} << (number - 1);
  }
  return bits;
}

// Owns the memory to which ChildOrders points.
class Orders {
 public:
  Orders(const SpawnRequest& request, const SpawnSetting& setting)
      : candidates_(program_candidates(request.argv[0], search_path(request.environment))),
        programs_(pointers_to(candidates_)),
        argv_(pointers_to(request.argv)),
        environment_(pointers_to(request.environment)),
        cpus_(cpu_mask(request.cpus.empty() ? request.settings.cpus : request.cpus)),
        limits_(limits_of_child(request.settings, setting.open_files.rlim_cur)) {
    orders_.programs = programs_.data();
    orders_.argv = argv_.data();
    orders_.environment = environment_.data();
    orders_.workdir = request.workdir.c_str();
    orders_.stdout_path = request.stdout_path.c_str();
    orders_.stderr_path = request.stderr_path.c_str();
    orders_.terminal = setting.terminal;
    for (size_t fd = 0; fd < setting.stdio.size(); ++fd) orders_.stdio[fd] = setting.stdio[fd];
    const bool given = *std::max_element(setting.stdio.begin(), setting.stdio.end()) >= 0;
    orders_.passed = request.passed;
    orders_.shares_descriptors =
        setting.terminal < 0 && !given && request.passed < 0 && !request.container && can_own_descriptors();
    if (request.container) orders_.mounts = request.container->mounts;
    if (request.container) orders_.users = request.container->users;
    orders_.own_session = request.own_session;
    orders_.dies_with_parent = request.dies_with_us;
    orders_.parent = getpid();
    orders_.cpus = cpus_.empty() ? nullptr : cpus_.data();
    orders_.cpus_size = cpus_.size() * sizeof(cpu_set_t);
    orders_.limits = limits_.data();
    orders_.limits_count = limits_.size();
    orders_.nice = request.settings.nice ? &*request.settings.nice : nullptr;
    orders_.ignored_signals = signal_bits(request.settings.ignored_signals);
    orders_.umask = request.settings.umask ? static_cast<int>(*request.settings.umask & 0777) : -1;
  }
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;

  ChildOrders& child() { return orders_; }

 private:
  const std::vector<std::string> candidates_;
  const std::vector<char*> programs_;
  const std::vector<char*> argv_;
  const std::vector<char*> environment_;
  const std::vector<cpu_set_t> cpus_;
  const std::vector<ProcessLimit> limits_;
  ChildOrders orders_;
};

bool lacks_output(const SpawnRequest& request, const SpawnSetting& setting) {
  if (setting.terminal >= 0) return false;
  return (setting.stdio[1] < 0 && request.stdout_path.empty()) || (setting.stdio[2] < 0 && request.stderr_path.empty());
}

void reap(pid_t pid) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0 && errno == EINTR) continue;
}

ClonedProcess clone_blocked(ChildOrders& orders, int cgroup_fd, bool sibling) {
  // Between clone and exec none of our handlers may run in the child: signals stay blocked until it sets its own mask.
  const SignalsBlocked blocked;
  return clone_process(run_child, &orders, cgroup_fd, orders.shares_descriptors, sibling);
}

}  // namespace

bool join_cgroup(int cgroup_fd, pid_t pid) {
  const UniqueFd procs(openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC));
  const std::string text = std::to_string(pid);
  return procs.valid() && write(procs.get(), text.data(), text.size()) > 0;
}

Result<SpawnedProcess> spawn_process(const SpawnRequest& request, const SpawnSetting& setting) {
  if (request.argv.empty() || request.argv[0].empty()) return Status(Code::not_found, "the command is empty");
  if (lacks_output(request, setting))
    return Status(Code::invalid_argument, "no file is named for the output of the process");
  Orders orders(request, setting);
  ClonedProcess process = clone_blocked(orders.child(), setting.cgroup_fd, setting.sibling);
  const bool join = process.pid < 0 && setting.cgroup_fd >= 0;
  if (join) process = clone_blocked(orders.child(), -1, setting.sibling);
  if (process.pid < 0) return describe_clone_failure(process.error);
  if (orders.child().failed_step != ChildStep::none) {
    reap(process.pid);
    return describe_spawn_failure(request, orders.child());
  }
  // Kernels before 5.7 cannot start a process in a cgroup: the process is moved after its start.
  const bool in_cgroup = setting.cgroup_fd >= 0 && (!join || join_cgroup(setting.cgroup_fd, process.pid));
  return SpawnedProcess{{process.pid, start_ticks(process.pid).value_or(0)}, std::move(process.pidfd), in_cgroup};
}

}  // namespace muster
