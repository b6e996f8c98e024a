// SPDX-License-Identifier: Apache-2.0
// The processes that the kernel says in its log that it has killed for lack of memory (/dev/kmsg). Loop thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/posix/unique_fd.h"

namespace muster {

struct KernelKill {
  int64_t pid = 0;      // in the first pid namespace
  std::string program;  // "python3"
  uint64_t resident_bytes = 0;
  bool operator==(const KernelKill&) const = default;
};

// Of one record: "3,617,1309818615,-;Out of memory: Killed process 11846 (python3) total-vm:…, anon-rss:153064kB, …". Pure. Nothing:
// it tells of no such kill.
std::optional<KernelKill> parse_kernel_kill(std::string_view record);

class KernelLog {
 public:
  // Remembers the end of the log.
  KernelLog();

  // Whether the log can be read, and its pids are those that this process knows.
  bool readable() const { return file_.valid(); }

  // The kills since this object exists, at most the last 64.
  const std::vector<KernelKill>& kills();

 private:
  UniqueFd file_;
  std::vector<KernelKill> kills_;
};

}  // namespace muster
