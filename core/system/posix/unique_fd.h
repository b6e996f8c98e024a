// SPDX-License-Identifier: Apache-2.0
// UniqueFd: owns a file descriptor and closes it. Any thread, one at a time.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace muster {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void reset() { UniqueFd().swap(*this); }
  // Transfers ownership to the caller.
  int release() { return std::exchange(fd_, -1); }

 private:
  void swap(UniqueFd& other) { std::swap(fd_, other.fd_); }

  int fd_ = -1;
};

}  // namespace muster
