// SPDX-License-Identifier: Apache-2.0
// Outbox: the queue of messages for a gRPC stream, which takes one at a time. It decides which is written next and writes nothing
// itself. Loop thread only.
//
// Bulk messages wait for all others, so that a flood of output never delays a heartbeat. Order is kept within each priority.
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

  // The message to write now. Its address is valid until written(). Null: one is being written, or the queue is empty.
  const Message* next() {
    if (under_way_ != nullptr || empty()) return nullptr;
    under_way_ = usual_.empty() ? &bulk_ : &usual_;
    return &under_way_->front();
  }

  // gRPC has written the current message.
  void written() {
    MUSTER_CHECK(under_way_ != nullptr);
    bytes_ -= under_way_->front().ByteSizeLong();
    under_way_->pop_front();
    under_way_ = nullptr;
  }

  // Of all messages that are queued or being written.
  size_t bytes() const { return bytes_; }
  bool empty() const { return usual_.empty() && bulk_.empty(); }
  // Whether more messages follow the current one.
  bool more() const { return usual_.size() + bulk_.size() > (under_way_ == nullptr ? 0 : 1); }

 private:
  std::list<Message> usual_;  // no deque: an empty one takes 0.5 KiB, and most links have nothing queued
  std::list<Message> bulk_;
  std::list<Message>* under_way_ = nullptr;  // the list whose first message is being written
  size_t bytes_ = 0;
};

}  // namespace muster
