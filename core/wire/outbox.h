// Outbox: the messages that wait for a gRPC stream, which takes one at a time. It decides what is written next; it
// writes nothing. Loop thread only.
//
// Bulk waits for everything else: the bytes of a exec that floods never stand before a beat. Order is kept within each.
#pragma once

#include <cstddef>
#include <list>
#include <utility>

#include "core/base/check.h"

namespace muster {

enum class SendPriority { usual, bulk };

template <typename Message>
class Outbox {
 public:
  void push(Message message, SendPriority priority = SendPriority::usual) {
    bytes_ += message.ByteSizeLong();
    (priority == SendPriority::bulk ? bulk_ : usual_).push_back(std::move(message));
  }

  // The message to write now, which stays at its address until written(); null while one is under way or none
  // waits.
  const Message* next() {
    if (under_way_ != nullptr || empty()) return nullptr;
    under_way_ = usual_.empty() ? &bulk_ : &usual_;
    return &under_way_->front();
  }

  // The one under way has been taken by gRPC.
  void written() {
    MUSTER_CHECK(under_way_ != nullptr);
    bytes_ -= under_way_->front().ByteSizeLong();
    under_way_->pop_front();
    under_way_ = nullptr;
  }

  // Of all that is queued or under way.
  size_t bytes() const { return bytes_; }
  bool empty() const { return usual_.empty() && bulk_.empty(); }
  // Whether any waits behind the one under way.
  bool more() const { return usual_.size() + bulk_.size() > (under_way_ == nullptr ? 0 : 1); }

 private:
  std::list<Message> usual_;  // an empty deque has half a KiB, and most links wait for nothing
  std::list<Message> bulk_;
  std::list<Message>* under_way_ = nullptr;  // whose first is being written
  size_t bytes_ = 0;
};

}  // namespace muster
