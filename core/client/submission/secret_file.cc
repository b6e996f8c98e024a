// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/secret_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/base/text.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

NoSecret not_readable(const std::string& shown, int error) {
  const std::string reason = std::strerror(error);
  if (error == ENOENT) return {"there is no file " + shown, ""};
  if (error == EACCES) return {shown + " cannot be read: " + reason, "make it readable for yourself: chmod u+r"};
  if (error == ENXIO)
    return {shown + " is a socket", "name a regular file, or use `cmd:PROGRAM` for what a program says"};
  return {shown + " cannot be read: " + reason, ""};
}

NoSecret no_file(const std::string& shown, mode_t mode) {
  if (S_ISDIR(mode)) return {shown + " is a folder", "name the file in it that has the value"};
  return {shown + " is a device, not a file", "name a regular file, or use `cmd:PROGRAM` for what a program prints"};
}

NoSecret no_writer(const std::string& shown) {
  return {shown + " is a pipe that is empty and that no program writes to",
          "start the program that writes to it before muster, or use `cmd:PROGRAM`"};
}

// Whether the descriptor can be read before the deadline.
bool is_readable(int fd, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd readable{fd, POLLIN, 0};
    const int ready = left > 0 ? poll(&readable, 1, static_cast<int>(left)) : 0;
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

SecretValue read_to_end(int fd, const std::string& shown, bool pipe, Duration patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  std::string text;
  std::array<char, 16384> buffer{};
  bool written = !pipe;  // a program has the other end open, or had
  while (text.size() <= kLargestSecret) {
    const ssize_t length = read(fd, buffer.data(), buffer.size());
    if (length > 0) {
      text.append(buffer.data(), static_cast<size_t>(length));
    } else if (length == 0) {
      if (!written && text.empty()) return no_writer(shown);
      return text;
    } else if (errno == EAGAIN) {
      written = true;
      if (!is_readable(fd, deadline))
        return NoSecret{shown + " is a pipe whose writer did not end within " + humane_duration(patience),
                        "end the program that writes to it, or use `cmd:PROGRAM`"};
    } else if (errno != EINTR) {
      return not_readable(shown, errno);
    }
  }
  return NoSecret{shown + " is larger than 64 KiB", "a secret is a short text; pass the path of the file instead"};
}

}  // namespace

SecretValue read_secret_file(const std::string& path, const std::string& workdir, Duration patience) {
  const std::string shown = "`" + escaped(path) + "`";
  const std::string whole = path.starts_with('/') ? path : workdir + "/" + path;
  // O_NONBLOCK: open() of a pipe without a writer, and read() of a pipe, would block.
  const UniqueFd file(open(whole.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) return not_readable(shown, errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return not_readable(shown, errno);
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) return no_file(shown, info.st_mode);
  return read_to_end(file.get(), shown, S_ISFIFO(info.st_mode), patience);
}

}  // namespace muster
