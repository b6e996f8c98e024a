// SPDX-License-Identifier: Apache-2.0
// ByteFlow: copies bytes in one direction between a relay's stdio and a socket, through a buffer of 64 KiB. One thread.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <vector>

namespace muster {

// Both descriptors are non-blocking and belong to the caller. -1: not connected yet.
class ByteFlow {
 public:
  ByteFlow(int from, int to) : from_(from), to_(to) {}
  void connect(int from, int to) {
    from_ = from;
    to_ = to;
  }
  // The descriptors to poll(2); call turn() with the results.
  pollfd reads() const { return {ended_ || size_ == buffer_.size() ? -1 : from_, POLLIN, 0}; }
  pollfd writes() const { return {size_ == begin_ ? -1 : to_, POLLOUT, 0}; }
  void turn(const pollfd& reads, const pollfd& writes);
  // The source has ended.
  bool ended() const { return ended_; }
  // The destination takes no more bytes.
  bool refused() const { return refused_; }
  bool empty() const { return size_ == begin_; }

 private:
  void read_some();
  void write_some();

  int from_;
  int to_;
  std::array<char, 1 << 16> buffer_{};
  size_t begin_ = 0;
  size_t size_ = 0;
  bool ended_ = false;
  bool refused_ = false;
};

}  // namespace muster
