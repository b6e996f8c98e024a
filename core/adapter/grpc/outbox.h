// Outbox: the messages that wait for a gRPC stream, which takes one at a time. It decides what is written next; it
// writes nothing. Loop thread only.
#pragma once

#include <deque>
#include <utility>

#include "core/base/check.h"

namespace muster {

template <typename Message>
class Outbox {
 public:
  void push(Message message) {
    bytes_ += message.ByteSizeLong();
    queue_.push_back(std::move(message));
  }

  // The message to write now, which stays at its address until written(); null while one is under way or none
  // waits.
  const Message* next() {
    if (under_way_ || queue_.empty()) return nullptr;
    under_way_ = true;
    return &queue_.front();
  }

  // The one under way has been taken by gRPC.
  void written() {
    MUSTER_CHECK(under_way_);
    under_way_ = false;
    bytes_ -= queue_.front().ByteSizeLong();
    queue_.pop_front();
  }

  // Of all that is queued or under way.
  size_t bytes() const { return bytes_; }
  bool empty() const { return queue_.empty(); }

 private:
  std::deque<Message> queue_;
  size_t bytes_ = 0;
  bool under_way_ = false;
};

}  // namespace muster
