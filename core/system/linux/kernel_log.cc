// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace muster {
namespace {

constexpr size_t kLongestRecord = 8192;
constexpr size_t kMostKills = 64;
// PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h.
constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;

bool in_first_pid_namespace() {
  struct stat about {};
  return stat("/proc/self/ns/pid", &about) == 0 && about.st_ino == kFirstPidNamespace;
}

template <typename Number>
std::optional<Number> number_at_begin(std::string_view text) {
  Number number{};
  const bool read = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  return read ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<KernelKill> parse_kernel_kill(std::string_view record) {
  constexpr std::string_view kKilled = "ut of memory: Killed process ";  // also "Memory cgroup out of memory: …"
  constexpr std::string_view kResident = " anon-rss:";
  constexpr uint64_t kMostKib = uint64_t{1} << 50;
  const size_t at = record.find(kKilled);
  if (at == std::string_view::npos || record.find(';') > at) return std::nullopt;
  const std::string_view rest = record.substr(at + kKilled.size());
  const std::optional<int64_t> pid = number_at_begin<int64_t>(rest);
  const size_t open = rest.find(" (");
  const size_t close = rest.find(") ");  // the name may have other parentheses
  if (!pid || *pid <= 0 || open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::nullopt;
  KernelKill kill{*pid, std::string(rest.substr(open + 2, close - open - 2)), 0};
  const size_t resident = rest.find(kResident, close);
  const auto kib = resident == std::string_view::npos
                       ? std::nullopt
                       : number_at_begin<uint64_t>(rest.substr(resident + kResident.size()));
  if (kib && *kib < kMostKib) kill.resident_bytes = *kib * 1024;
  return kill;
}

KernelLog::KernelLog() {
  if (!in_first_pid_namespace()) return;
  file_ = UniqueFd(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  // The kernel may refuse the first read or the seek (kernel.dmesg_restrict).
  if (file_.valid() && lseek(file_.get(), 0, SEEK_END) < 0) file_ = UniqueFd();
}

const std::vector<KernelKill>& KernelLog::kills() {
  std::array<char, kLongestRecord> record{};
  while (file_.valid()) {
    const ssize_t got = read(file_.get(), record.data(), record.size());
    if (got < 0 && (errno == EPIPE || errno == EINTR)) continue;  // EPIPE: older records were overwritten
    if (got <= 0) break;
    if (auto kill = parse_kernel_kill({record.data(), static_cast<size_t>(got)})) kills_.push_back(std::move(*kill));
    if (kills_.size() > kMostKills) kills_.erase(kills_.begin());
  }
  return kills_;
}

}  // namespace muster
