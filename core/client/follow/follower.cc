// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/follower.h"

#include <algorithm>
#include <utility>

namespace muster {

Follower::Follower(Loop& loop, std::shared_ptr<JobClient> client, Connect connect, NearFiles* files,
                   FollowListener& listener)
    : loop_(loop),
      connect_(std::move(connect)),
      files_(files),
      listener_(listener),
      client_(std::move(client)) {}

Follower::~Follower() {
  *alive_ = false;
  loop_.cancel(timer_);
  loop_.cancel(absence_);
}

void Follower::start(FollowRequest request) {
  request_ = std::move(request);
  request_.in_place = request_.output && files_ != nullptr;
  follow();
}

void Follower::follow() {
  following_.reset();
  following_ = client_->follow(
      request_, [this](const FollowItem& item) { take(item); }, [this](const Status& status) { ended(status); });
  reading_ = stopped_ = false;
  if (held_) following_->hold(true);
}

void Follower::hold(bool held) {
  held_ = held;
  if (!following_) return;
  if (!reading_) return following_->hold(held);
  if (held || !std::exchange(stopped_, false)) return;
  loop_.post([this, alive = alive_] {
    if (*alive && reading_) read_on();
  });
}

void Follower::take(const FollowItem& item) {
  if (lost_since_) tell_of_return();
  if (const auto* event = std::get_if<JobEvent>(&item.item)) {
    // Events for this viewer alone have no sequence number.
    if (event->sequence > 0 && event->sequence < request_.from_event) return;
    if (event->sequence > 0) request_.from_event = event->sequence + 1;
    listener_.on_event(*event);
  } else if (const auto* chunk = std::get_if<OutputChunk>(&item.item)) {
    take_output(*chunk);
  } else if (const auto* span = std::get_if<OutputSpan>(&item.item)) {
    take_span(*span);
  } else {
    listener_.on_view(std::get<JobView>(item.item));
  }
}

void Follower::tell_of_return() {
  const std::string away = humane_duration(loop_.now() - *lost_since_);
  lost_since_.reset();
  loop_.cancel(absence_);
  listener_.on_remark(std::exchange(told_, false)
                          ? "connected to the controller again after " + away + "; the job continued"
                          : "the controller did not answer for " + away + "; the job continued");
}

// After a reconnect the stream may begin before the requested offset; bytes that were shown are skipped.
void Follower::take_output(const OutputChunk& chunk) {
  const OutputPosition& at = chunk.position;
  uint64_t& reached = reached_[{at.attempt, at.index, at.stream}];
  const uint64_t end = at.offset + chunk.bytes.size();
  if (end <= reached) return;
  const uint64_t skip = reached > at.offset ? reached - at.offset : 0;
  reached = end;
  if (skip == 0) return listener_.on_output(chunk);
  OutputChunk rest = chunk;
  rest.position.offset += skip;
  rest.bytes.erase(0, skip);
  listener_.on_output(rest);
}

void Follower::take_span(const OutputSpan& span) {
  span_ = span;
  reached_.try_emplace({span.position.attempt, span.position.index, span.position.stream}, span.position.offset);
  reading_ = true;
  following_->hold(true);
  read_on();
}

// Reads and shows one block of the span. A long span takes several turns of the loop, so that keys and signals are still
// handled. It reads no byte after the span: those of the rank's other stream may come first.
void Follower::read_on() {
  stopped_ = held_;
  if (stopped_) return;
  const OutputPosition& at = span_.position;
  uint64_t& reached = reached_[{at.attempt, at.index, at.stream}];
  const uint64_t end = at.offset + span_.length;
  if (reached >= end) return span_done();
  read_.position = at;
  read_.position.offset = std::max(reached, at.offset);
  read_.time = span_.time;
  const size_t limit = std::min<uint64_t>(block, end - read_.position.offset);
  const Status read = files_->read(span_.path, read_.position.offset, limit, read_.bytes);
  // Files could be read before, so this one was removed together with its job. The stream stays held.
  if (near_ && read.code() == Code::not_found)
    return listener_.on_end(Status(Code::not_found, "the job's output was removed while it was being shown"));
  if (!read.ok()) return ask_for_bytes();
  near_ = true;
  reached = read_.position.offset + read_.bytes.size();
  listener_.on_output(read_);
  if (reached >= end) return span_done();
  loop_.post([this, alive = alive_] {
    if (*alive) read_on();
  });
}

void Follower::span_done() {
  reading_ = false;
  following_->hold(held_);
}

// Resumes in a later turn of the loop: the following must not be destroyed in its own callback.
void Follower::ask_for_bytes() {
  if (!near_) reached_.clear();
  request_.in_place = false;
  loop_.post([this, alive = alive_] {
    if (*alive) resume();
  });
}

void Follower::resume() {
  request_.resume.clear();
  for (const auto& [stream, offset] : reached_) {
    const auto& [attempt, index, kind] = stream;
    request_.resume.push_back({attempt, index, kind, offset});
  }
  follow();
}

void Follower::ended(const Status& status) {
  if (status.code() == Code::unavailable && connect_) return lost(status);
  listener_.on_end(status);
}

// The following must not be destroyed in its own callback, so reconnecting happens in a later turn of the loop.
void Follower::lost(const Status& status) {
  if (lost_since_ && loop_.now() - *lost_since_ >= patience) return give_up(status);
  if (!lost_since_) {
    lost_since_ = loop_.now();
    absence_ = loop_.at(loop_.now() + worth_telling, [this] {
      told_ = true;
      listener_.on_remark("lost the connection to the controller; reconnecting");
    });
  }
  timer_ = loop_.at(loop_.now() + pause, [this] { try_again(); });
}

void Follower::give_up(const Status& status) {
  loop_.cancel(absence_);
  listener_.on_end(status);
}

void Follower::try_again() {
  following_.reset();
  auto connected = connect_();
  if (!connected.ok()) {
    if (loop_.now() - *lost_since_ >= patience) return give_up(connected.status());
    timer_ = loop_.at(loop_.now() + pause, [this] { try_again(); });
    return;
  }
  client_ = std::move(*connected);
  resume();
}

}  // namespace muster
