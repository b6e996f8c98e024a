// ConsoleWriter: a descriptor that is written to without waiting. What its reader leaves no room for waits here, in order; a regular file
// always has room. Loop thread only.
#pragma once

#include <string>
#include <string_view>

#include "core/system/posix/unique_fd.h"

namespace muster {

class ConsoleWriter {
 public:
  // `fd` stays the caller's.
  explicit ConsoleWriter(int fd);

  // 0, or the errno value for which what was to be written is lost, what waited included.
  int write(std::string_view text);
  // As write(), of what waits. For when `watched()` has room.
  int go_on();
  bool waits() const { return !rest_.empty(); }
  int watched() const { return own_.valid() ? own_.get() : fd_; }

 private:
  // Takes away what could be written.
  int send(std::string_view& text) const;
  // Bytes written, or -1 with errno.
  ssize_t write_some(std::string_view text) const;

  const int fd_;
  UniqueFd own_;  // the same pipe or terminal, opened again: O_NONBLOCK on `fd` would be everybody's who has it
  std::string rest_;
};

// 0, or the errno value that kept a part of `text` from being written; waits for room.
int write_all(int fd, std::string_view text);

// Both end in the same file, pipe or terminal.
bool same_place(int one, int other);

}  // namespace muster
