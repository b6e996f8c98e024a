// SPDX-License-Identifier: Apache-2.0
#include "core/system/asio/timer_queue.h"

namespace muster {

TimerId TimerQueue::add(TimePoint when, std::function<void()> work) {
  const TimerId timer = ++last_;
  waiting_.emplace(std::pair(when, timer), std::move(work));
  times_.emplace(timer, when);
  return timer;
}

void TimerQueue::cancel(TimerId timer) {
  const auto time = times_.find(timer);
  if (time == times_.end()) return;
  waiting_.erase({time->second, timer});
  times_.erase(time);
}

std::optional<TimePoint> TimerQueue::next() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first.first;
}

std::function<void()> TimerQueue::take_due(TimePoint now) {
  if (waiting_.empty() || waiting_.begin()->first.first > now) return {};
  auto first = waiting_.extract(waiting_.begin());
  times_.erase(first.key().second);
  return std::move(first.mapped());
}

}  // namespace muster
