// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/run_record.h"

#include <utility>

namespace muster {
namespace {

// Time on a CPU, time waiting for one, and number of time slices: the cheapest file of a process in /proc.
std::string schedstat(int file) {
  char buffer[128];
  const ssize_t got = pread(file, buffer, sizeof buffer, 0);
  return got > 0 ? std::string(buffer, static_cast<size_t>(got)) : "";
}

}  // namespace

std::optional<RunRecord> RunRecord::of(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/schedstat";
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text = file.valid() ? schedstat(file.get()) : "";
  // A started process has run. A kernel without these statistics shows zeros.
  if (text.empty() || text.starts_with("0 0 0")) return std::nullopt;
  return RunRecord(std::move(file), std::move(text));
}

bool RunRecord::has_rested() const { return schedstat(file_.get()) == text_; }

}  // namespace muster
