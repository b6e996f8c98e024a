#include "core/system/linux/examine/run_record.h"

#include <utility>

namespace muster {
namespace {

// Time on a CPU, time waiting for one, and how often it got one: the cheapest file that the kernel has of a process.
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
  // What began has run; a kernel that keeps no such numbers says so.
  if (text.empty() || text.starts_with("0 0 0")) return std::nullopt;
  return RunRecord(std::move(file), std::move(text));
}

bool RunRecord::has_rested() const { return schedstat(file_.get()) == text_; }

}  // namespace muster
