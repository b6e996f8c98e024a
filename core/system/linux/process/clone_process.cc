// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/clone_process.h"

#include <errno.h>
#include <linux/sched.h>
#include <sanitizer/asan_interface.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdint>

#include "core/system/linux/pidfd.h"

namespace muster {
namespace {

// The child's own stack. On ours it would overwrite the frames through which we return. Untouched pages use no memory.
class ChildStack {
 public:
  ChildStack() : bottom_(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, kPrivate, -1, 0)) {}
  ~ChildStack() {
    if (!valid()) return;
    // The child never returns from its frames. Without this, AddressSanitizer's marks for these addresses would be reported
    // against later users of them.
    ASAN_UNPOISON_MEMORY_REGION(bottom_, kSize);
    munmap(bottom_, kSize);
  }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;

  bool valid() const { return bottom_ != MAP_FAILED; }
  void* bottom() const { return bottom_; }
  void* top() const { return static_cast<char*>(bottom_) + kSize; }
  static constexpr size_t kSize = 256 << 10;
  static constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK;

 private:
  void* const bottom_;
};

// glibc has no wrapper for clone3(2), and its syscall(2) cannot be used with a new stack: the child would return
// to an address that is not on that stack. So the child calls its function directly, with the instruction after the
// system call.
#if defined(__x86_64__)
long clone3_call(clone_args* args, int (*child)(void*), void* argument) {
  long result = SYS_clone3;
  register int (*function)(void*) asm("r8") = child;
  register void* parameter asm("r9") = argument;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"  // end of the frames, for unwinders
      "mov %%r9, %%rdi\n\t"
      "call *%%r8\n\t"
      "mov %%eax, %%edi\n\t"
      "mov %[exit], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(args), "S"(sizeof(clone_args)), "r"(function), "r"(parameter), [exit] "i"(SYS_exit_group)
      : "rcx", "r11", "memory", "cc");
  return result;
}
#else
long clone3_call(clone_args*, int (*)(void*), void*) { return -ENOSYS; }
#endif

ClonedProcess clone_with_clone3(const ChildStack& stack, int (*child)(void*), void* argument, int cgroup_fd,
                                uint64_t more_flags) {
  int pidfd = -1;
  clone_args args{};
  args.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | more_flags;
  args.pidfd = reinterpret_cast<uintptr_t>(&pidfd);
  args.exit_signal = (more_flags & CLONE_PARENT) != 0 ? 0 : SIGCHLD;  // a sibling has the exit signal of this process
  args.stack = reinterpret_cast<uintptr_t>(stack.bottom());
  args.stack_size = ChildStack::kSize;
  if (cgroup_fd >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<uint64_t>(cgroup_fd);
  }
  const long pid = clone3_call(&args, child, argument);
  if (pid < 0) return {-1, static_cast<int>(-pid), {}};
  return {static_cast<pid_t>(pid), 0, UniqueFd(pidfd)};
}

ClonedProcess clone_with_clone(const ChildStack& stack, int (*child)(void*), void* argument, int more_flags) {
  const pid_t pid = clone(child, stack.top(), CLONE_VM | CLONE_VFORK | SIGCHLD | more_flags, argument);
  if (pid < 0) return {-1, errno, {}};
  // A child of ours that is not reaped, so the pid still refers to it.
  return {pid, 0, open_pidfd(pid)};
}

// ENOSYS: Linux before 5.3, and containers whose seccomp filter hides clone3. EPERM: other filters.
bool clone3_is_refused(int error) { return error == ENOSYS || error == EPERM; }

}  // namespace

ClonedProcess clone_process(int (*child)(void*), void* argument, int cgroup_fd, bool shares_descriptors, bool sibling) {
  const ChildStack stack;
  if (!stack.valid()) return {-1, ENOMEM, {}};
  const int more_flags = (shares_descriptors ? CLONE_FILES : 0) | (sibling ? CLONE_PARENT : 0);
  ClonedProcess process = clone_with_clone3(stack, child, argument, cgroup_fd, static_cast<uint64_t>(more_flags));
  if (process.pid >= 0 || cgroup_fd >= 0 || !clone3_is_refused(process.error)) return process;
  return clone_with_clone(stack, child, argument, more_flags);
}

ClonedProcess clone_process_before_clone3(int (*child)(void*), void* argument) {
  const ChildStack stack;
  if (!stack.valid()) return {-1, ENOMEM, {}};
  return clone_with_clone(stack, child, argument, 0);
}

}  // namespace muster
