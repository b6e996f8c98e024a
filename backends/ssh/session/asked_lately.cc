// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/asked_lately.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "backends/ssh/session/packed_program.h"
#include "core/system/posix/unique_fd.h"

namespace muster::ssh {
namespace {

constexpr time_t kFresh = 5;  // seconds between a command's visit and its job
constexpr size_t kLongestRecord = 256;

std::string path_of(const Asked& asked) { return asked.folder + "/host-" + text_hash(asked.host).substr(0, 12); }

// Variables of muster are left out: ssh does not use them, and they are not sent with jobs.
std::string mark_of(const Asked& asked) {
  std::string text = asked.ssh + "\n";
  for (const auto& [name, value] : asked.environment)
    if (!name.starts_with("MUSTER_")) text += name + "=" + value + "\n";
  return text_hash(text);
}

}  // namespace

void leave_answer(const Asked& asked, const std::string& socket) {
  const UniqueFd file(open(path_of(asked).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const std::string text = mark_of(asked) + " " + socket + "\n";
  if (file.valid()) (void)!write(file.get(), text.data(), text.size());
}

std::optional<std::string> take_answer(const Asked& asked) {
  const std::string path = path_of(asked);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info {};
  std::array<char, kLongestRecord> buffer{};
  if (!file.valid() || fstat(file.get(), &info) != 0) return std::nullopt;
  const ssize_t length = read(file.get(), buffer.data(), buffer.size());
  unlink(path.c_str());
  const time_t age = time(nullptr) - info.st_mtime;
  const std::string text(buffer.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
  const std::string head = mark_of(asked) + " ";
  if (age < 0 || age > kFresh || !text.starts_with(head) || !text.ends_with('\n')) return std::nullopt;
  return text.substr(head.size(), text.size() - head.size() - 1);
}

}  // namespace muster::ssh
