// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/thread_places.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/system/linux/examine/elf_symbols.h"
#include "core/system/linux/examine/process_life.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kMostThreadPlaces = 32;
constexpr size_t kMostNativeFrames = 12;
constexpr size_t kStackBytes = 128 << 10;  // Python's select alone takes 70 KiB
constexpr size_t kMostNativeText = 8 << 10;
constexpr auto kLongestLook = std::chrono::milliseconds(250);

struct CallName {
  long number;
  const char* name;
};
// System calls in which programs wait. Their numbers differ by machine (syscall(2)).
constexpr CallName kCalls[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_openat, "openat"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_ioctl, "ioctl"},
    {SYS_futex, "futex"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_wait"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_recvfrom, "recv"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "send"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept"},
    {SYS_connect, "connect"},
    {SYS_rt_sigsuspend, "sigsuspend"},
    {SYS_rt_sigtimedwait, "sigwait"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_pause, "pause"},
#endif
};

std::string call_name(long number) {
  for (const CallName& call : kCalls) {
    if (call.number == number) return call.name;
  }
  return number < 0 ? "" : "system call " + std::to_string(number);
}

// The contents of /proc/PID/task/TID/syscall (proc(5)).
struct ThreadCall {
  long number = -1;  // number of the system call; -1: none
  uint64_t stack_pointer = 0;
  uint64_t at = 0;
};

std::optional<ThreadCall> call_of(const std::string& task) {
  const auto text = read_small_file(task + "/syscall");
  if (!text || text->starts_with("running")) return std::nullopt;
  std::istringstream words(*text);
  ThreadCall call;
  words >> call.number;
  std::vector<uint64_t> rest;
  for (std::string word; words >> word;) rest.push_back(std::strtoull(word.c_str(), nullptr, 16));
  if (rest.size() < 2) return std::nullopt;
  call.stack_pointer = rest[rest.size() - 2];
  call.at = rest.back();
  return call;
}

std::vector<uint64_t> words_of_stack(pid_t pid, uint64_t begin) {
  std::vector<uint64_t> words(kStackBytes / sizeof(uint64_t));
  iovec here{words.data(), kStackBytes};
  iovec there{reinterpret_cast<void*>(begin & ~uint64_t{7}), kStackBytes};
  ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
  // Near its end the stack is shorter than this, and the kernel refuses a read that goes beyond the end.
  for (there.iov_len /= 2; got < 0 && there.iov_len >= sizeof(uint64_t); there.iov_len /= 2)
    got = process_vm_readv(pid, &here, 1, &there, 1, 0);
  words.resize(got > 0 ? static_cast<size_t>(got) / sizeof(uint64_t) : 0);
  return words;
}

// Whether the instruction before `address` is a call: then `address` may be a return address.
bool follows_call(pid_t pid, uint64_t address) {
#if defined(__x86_64__)
  unsigned char code[7] = {};
  iovec here{code, sizeof code};
  iovec there{reinterpret_cast<void*>(address - sizeof code), sizeof code};
  if (process_vm_readv(pid, &here, 1, &there, 1, 0) != static_cast<ssize_t>(sizeof code)) return false;
  const auto indirect = [&](size_t back) { return code[7 - back] == 0xFF && ((code[8 - back] >> 3) & 7) == 2; };
  return code[2] == 0xE8 || indirect(2) || indirect(3) || indirect(6) || indirect(7);
#else
  return pid == 0 && address == 0;
#endif
}

class Functions {
 public:
  explicit Functions(pid_t pid)
      : pid_(pid),
        folder_("/proc/" + std::to_string(pid)),
        mappings_(parse_code_mappings(read_small_file(folder_ + "/maps").value_or(""))) {}

  // Innermost first. The frames are not walked: every word of the stack that follows a call instruction counts as a return address. So a
  // function that has already returned may be among them.
  std::vector<std::string> of(const ThreadCall& call) {
    std::vector<std::string> names;
    add(names, call.at);
    for (const uint64_t word : words_of_stack(pid_, call.stack_pointer)) {
      if (names.size() >= kMostNativeFrames || SteadyClock::now() > end_) break;
      if (mapping_of(mappings_, word) != nullptr && follows_call(pid_, word)) add(names, word - 1);
    }
    return names;
  }

 private:
  void add(std::vector<std::string>& names, uint64_t address) {
    const std::string& name = name_at(address);
    // Small functions that return at once leave words all over the stack.
    const bool told = !name.empty() && name.find("std::") == std::string::npos;
    if (told && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  const std::string& name_at(uint64_t address) {
    const auto known = names_.find(address);
    if (known != names_.end()) return known->second;
    const CodeMapping* mapping = mapping_of(mappings_, address);
    if (mapping == nullptr) return names_[address] = "";
    const auto file = files_.try_emplace(mapping->file, folder_ + "/root" + mapping->file).first;
    return names_[address] = escaped(file->second.at(address - mapping->begin + mapping->offset));
  }

  const pid_t pid_;
  const std::string folder_;
  const std::vector<CodeMapping> mappings_;
  const SteadyClock::time_point end_ = SteadyClock::now() + kLongestLook;
  std::map<uint64_t, std::string> names_;
  std::map<std::string, FunctionTable> files_;
};

// "clock_nanosleep (hrtimer_nanosleep)"; "running".
std::string place_of(const std::string& task, const std::optional<ThreadCall>& call) {
  const std::string name = call ? call_name(call->number) : "";
  std::string channel = wait_channel(task);
  if (channel == "do_signal_stop") channel.clear();  // the state already shows that it is stopped
  if (name.empty()) return channel.empty() ? "its own code" : channel;
  return channel.empty() ? name : name + " (" + channel + ")";
}

// Skips functions of the C library: the system call already shows them.
std::string telling_name(const std::vector<std::string>& names) {
  static const std::set<std::string> kPlumbing = {"read",   "write",    "poll",  "select", "syscall", "wait4",
                                                  "recv",   "send",     "fsync", "pause",  "sleep",   "clock_nanosleep",
                                                  "usleep", "nanosleep"};
  for (const std::string& name : names) {
    const bool plumbing = name.starts_with("_") || name.starts_with("pthread_") || name.starts_with("epoll_") ||
                          name.find("std::") != std::string::npos || kPlumbing.count(name) > 0;
    if (!plumbing) return name;
  }
  return "";
}

}  // namespace

RankLocation locate_threads(pid_t pid) {
  RankLocation location;
  Functions functions(pid);
  size_t told = 0;
  bool has_functions = false;
  std::vector<pid_t> threads = threads_of(pid);
  const auto first = std::find(threads.begin(), threads.end(), pid);
  if (first != threads.end()) std::rotate(threads.begin(), first, first + 1);
  for (const pid_t thread : threads) {
    const std::string task = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread);
    const auto call = call_of(task);
    const std::string place = place_of(task, call);
    const std::vector<std::string> names = call ? functions.of(*call) : std::vector<std::string>();
    if (thread == pid) {
      const std::string name = telling_name(names);
      location.place = name.empty() ? place : place + ", called by " + name;
    }
    if (++told > kMostThreadPlaces || location.stack.size() > kMostNativeText) continue;
    const auto stat = read_small_file(task + "/comm").value_or("");
    location.stack +=
        "  thread " + std::to_string(thread) + " " + escaped(stat.substr(0, stat.find('\n'))) + ": " + place + "\n";
    for (const std::string& name : names) location.stack += "    " + name + "\n";
    has_functions = has_functions || !names.empty();
  }
  if (told > kMostThreadPlaces) location.stack += "  and " + count_of(told - kMostThreadPlaces, "thread") + " more\n";
  if (has_functions)
    location.stack += "  functions of threads are found on their stacks; some may be of earlier calls\n";
  return location;
}

std::string call_of_thread(const std::string& stack, int64_t thread) {
  const std::string head = "  thread " + std::to_string(thread) + " ";
  for (const std::string& line : split(stack, '\n')) {
    const size_t call = line.rfind(": ");
    if (line.starts_with(head) && call != std::string::npos) return line.substr(call + 2);
  }
  return "";
}

}  // namespace muster
