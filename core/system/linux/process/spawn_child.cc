// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/spawn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/port/process_host.h"
#include "core/system/linux/process/close_descriptors.h"

namespace muster {
namespace {

bool fail(ChildOrders& orders, ChildStep step) {
  orders.failed_step = step;
  orders.error = errno;
  return false;
}

// A session leader cannot call setpgid and need not: setsid(2) has given it its own group.
bool lead_group(ChildOrders& orders) {
  const bool session = orders.own_session || orders.terminal >= 0;
  if ((session ? setsid() : setpgid(0, 0)) < 0) return fail(orders, ChildStep::session);
  return true;
}

// The parent may have ended before prctl took effect: then no signal is sent (prctl(2), PR_SET_PDEATHSIG).
bool die_with_parent(ChildOrders& orders) {
  if (!orders.dies_with_parent) return true;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != orders.parent) return fail(orders, ChildStep::parent_gone);
  return true;
}

bool bind_cpus(ChildOrders& orders) {
  if (orders.cpus == nullptr) return true;
  if (sched_setaffinity(0, orders.cpus_size, orders.cpus) != 0) return fail(orders, ChildStep::cpus);
  return true;
}

// Above 2, so that no later dup2 overwrites it: a parent may run without stdin or stdout.
int open_high(const char* path, int flags) {
  const int fd = open(path, flags | O_NOCTTY | O_CLOEXEC, 0600);
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return high;
}

int open_output(const char* path) { return open_high(path, O_WRONLY | O_APPEND | O_CREAT); }

bool redirect_to_files(ChildOrders& orders) {
  const int in = orders.stdio[0] >= 0 ? orders.stdio[0] : open_high("/dev/null", O_RDONLY);
  if (in < 0) return fail(orders, ChildStep::null_input);
  const int out = orders.stdio[1] >= 0 ? orders.stdio[1] : open_output(orders.stdout_path);
  if (out < 0) return fail(orders, ChildStep::output);
  const int err = orders.stdio[2] >= 0 ? orders.stdio[2] : open_output(orders.stderr_path);
  if (err < 0) return fail(orders, ChildStep::error_output);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  return true;
}

// The terminal's descriptor is above 2 (terminal.cc).
bool redirect_to_terminal(ChildOrders& orders) {
  if (ioctl(orders.terminal, TIOCSCTTY, 0) != 0) return fail(orders, ChildStep::terminal);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) dup2(orders.terminal, fd);
  return true;
}

bool redirect(ChildOrders& orders) {
  return orders.terminal >= 0 ? redirect_to_terminal(orders) : redirect_to_files(orders);
}

// Before any step that opens or closes a descriptor.
bool own_descriptors(ChildOrders& orders) {
  if (!orders.shares_descriptors || own_descriptors_below(STDERR_FILENO + 1)) return true;
  return fail(orders, ChildStep::descriptors);
}

// dup2(2) of a descriptor to itself would leave it to be closed by exec.
void pass_descriptor(int passed) {
  if (passed == kPassedDescriptor) {
    fcntl(passed, F_SETFD, 0);
  } else {
    dup2(passed, kPassedDescriptor);
  }
}

// After the files of its output are open, which are those of the host. The user namespace first: it gives the right to join the other.
bool enter_container(ChildOrders& orders) {
  if (orders.users >= 0 && setns(orders.users, CLONE_NEWUSER) != 0) return fail(orders, ChildStep::container);
  if (orders.mounts >= 0 && setns(orders.mounts, CLONE_NEWNS) != 0) return fail(orders, ChildStep::container);
  return true;
}

bool enter_workdir(ChildOrders& orders) {
  if (orders.passed >= 0) pass_descriptor(orders.passed);
  close_descriptors_from((orders.passed >= 0 ? kPassedDescriptor : STDERR_FILENO) + 1);
  if (chdir(orders.workdir) != 0) return fail(orders, ChildStep::workdir);
  return true;
}

// Last before exec: the steps before open files with the parent's umask and limits.
bool take_settings(ChildOrders& orders) {
  if (orders.umask >= 0) umask(static_cast<mode_t>(orders.umask));
  // A nice value that needs a privilege is refused (setpriority(2)): then it stays unchanged.
  if (orders.nice != nullptr) setpriority(PRIO_PROCESS, 0, *orders.nice);
  for (size_t i = 0; i < orders.limits_count; ++i) {
    if (setrlimit(orders.limits[i].resource, &orders.limits[i].value) != 0) return fail(orders, ChildStep::limits);
  }
  return true;
}

// Handlers first: if the mask were lifted before, our parent's handlers would run here, in its memory. Ignored signals stay
// ignored across exec (execve(2)), so those that muster itself ignores are reset. Direct system calls: wrappers, such as a
// sanitizer's, would record the change in memory that is shared with our parent.
void set_signals(uint64_t ignored) {
  constexpr size_t kMaskSize = 8;      // size of the kernel's sigset_t (rt_sigprocmask(2))
  const unsigned long standard[8]{};   // a zeroed kernel struct sigaction: SIG_DFL, no flags
  const unsigned long ignoring[8]{1};  // the handler comes first: SIG_IGN
  const unsigned long none[1]{};
  for (int number = 1; number < NSIG; ++number) {
    const bool ignore = (ignored >> (number - 1) & 1) != 0;
    syscall(SYS_rt_sigaction, number, ignore ? ignoring : standard, nullptr, kMaskSize);
  }
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, nullptr, kMaskSize);
}

// Like execvpe(3): a program that may not be executed is skipped, and reported if no other is found.
bool is_elsewhere_perhaps(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ESTALE || error == ENODEV ||
         error == ETIMEDOUT;
}

// Not instrumented here and in run_child: ThreadSanitizer counts calls and returns in memory that is shared with our parent,
// and a call that ends in exec never returns.
__attribute__((no_sanitize("thread"))) bool execute(ChildOrders& orders) {
  set_signals(orders.ignored_signals);
  orders.error = ENOENT;
  for (const char* const* program = orders.programs; *program != nullptr; ++program) {
    execve(*program, orders.argv, orders.environment);
    const int error = errno;
    const bool absent = error == ENOENT || error == ENOTDIR;
    if (orders.failed_program == nullptr || !absent) orders.failed_program = *program;
    if (!absent) orders.error = error;
    if (!is_elsewhere_perhaps(error)) break;
  }
  orders.failed_step = ChildStep::exec;
  return false;
}

}  // namespace

__attribute__((no_sanitize("thread"))) int run_child(void* pointer) {
  ChildOrders& orders = *static_cast<ChildOrders*>(pointer);
  static_cast<void>(own_descriptors(orders) && lead_group(orders) && die_with_parent(orders) && bind_cpus(orders) &&
                    redirect(orders) && enter_container(orders) && enter_workdir(orders) && take_settings(orders) &&
                    execute(orders));
  return 127;
}

}  // namespace muster
