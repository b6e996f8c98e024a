// BytePump: carries bytes both ways between a relay's stdio and a socket, with a bounded buffer each way. One thread.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <vector>

namespace muster {

// From one descriptor to another; both non-blocking. Descriptors stay the caller's.
class ByteFlow {
 public:
  ByteFlow(int from, int to) : from_(from), to_(to) {}
  // What it waits for, and what it does once poll(2) has answered. -1: none yet.
  void connect(int from, int to) {
    from_ = from;
    to_ = to;
  }
  pollfd reads() const { return {ended_ || size_ == buffer_.size() ? -1 : from_, POLLIN, 0}; }
  pollfd writes() const { return {size_ == begin_ ? -1 : to_, POLLOUT, 0}; }
  void turn(const pollfd& reads, const pollfd& writes);
  // Nothing comes any more.
  bool ended() const { return ended_; }
  // Nobody takes what it has.
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
