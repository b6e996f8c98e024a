// SPDX-License-Identifier: Apache-2.0
// ConsoleWriter: writes to a descriptor without blocking. Bytes that do not fit are buffered here, in order. Writes to a
// regular file always complete. Loop thread only.
#pragma once

#include <string>
#include <string_view>

#include "core/system/posix/unique_fd.h"

namespace muster {

class ConsoleWriter {
 public:
  // `fd` is not owned.
  explicit ConsoleWriter(int fd);

  // Returns 0 or an errno value. On an error `text` and all buffered bytes are dropped.
  int write(std::string_view text);
  // Writes buffered bytes; call it when `watched()` is writable. Returns as write().
  int go_on();
  bool waits() const { return !rest_.empty(); }
  int watched() const { return own_.valid() ? own_.get() : fd_; }

 private:
  // Removes the written bytes from `text`. Returns 0 or an errno value.
  int send(std::string_view& text) const;
  // Bytes written, or -1 with errno.
  ssize_t write_some(std::string_view text) const;

  const int fd_;
  UniqueFd
      own_;  // the same pipe or terminal, opened again: O_NONBLOCK on `fd` would affect all processes that share it
  std::string rest_;
};

// Writes all of `text` and blocks until it is written. Returns 0 or an errno value.
int write_all(int fd, std::string_view text);

// True if both descriptors refer to the same file, pipe or terminal.
bool same_place(int one, int other);

}  // namespace muster
