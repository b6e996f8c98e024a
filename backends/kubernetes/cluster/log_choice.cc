// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/log_choice.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace muster {
namespace {

// If only another group restarted, this rank's group stayed in its earlier attempt.
Attempt attempt_of(const RankView& rank, const JobView& job, Attempt asked) {
  Attempt found = 0;
  for (const AttemptView& each : job.attempts) {
    if (each.attempt <= asked && (each.group.empty() || each.group == rank.group))
      found = std::max(found, each.attempt);
  }
  return found == 0 ? asked : found;
}

}  // namespace

LogChoice::LogChoice(const FollowRequest& request, const JobView& job, std::vector<JobEvent> events)
    : request_(request),
      events_(std::move(events)),
      waits_(request.tail_lines.has_value()) {
  const Attempt asked = request.attempt.value_or(request.first_attempt);
  for (const RankView& rank : job.ranks) first_[rank.index] = attempt_of(rank, job, asked);
  while (next_event_ < events_.size() && events_[next_event_].sequence < request.from_event) ++next_event_;
}

bool LogChoice::is_wanted(const OutputPosition& at) const {
  const auto& ranks = request_.ranks;
  if (!request_.output || (!ranks.empty() && std::find(ranks.begin(), ranks.end(), at.index) == ranks.end()))
    return false;
  const auto first = first_.find(at.index);
  const Attempt asked = first == first_.end() ? request_.first_attempt : first->second;
  return at.attempt == asked || (at.attempt > asked && !request_.attempt);
}

void LogChoice::tell_up_to(size_t end, std::vector<FollowItem>& shown) {
  for (; next_event_ < end; ++next_event_) shown.push_back({events_[next_event_]});
}

// A sentence in the log marks the time of its event: all events up to it are returned.
void LogChoice::take_sentence(FollowItem item, std::vector<FollowItem>& shown) {
  if (!request_.events) return;
  if (events_.empty()) return shown.push_back(std::move(item));
  const std::string& line = std::get<JobEvent>(item.item).sentence;
  for (size_t i = next_event_; i < events_.size(); ++i) {
    if (!events_[i].sentence.empty() && line.find(events_[i].sentence) != std::string::npos)
      return tell_up_to(i + 1, shown);
  }
}

std::vector<FollowItem> LogChoice::take(std::vector<FollowItem> items) {
  std::vector<FollowItem> shown;
  for (FollowItem& item : items) {
    const auto* chunk = std::get_if<OutputChunk>(&item.item);
    if (chunk == nullptr) {
      take_sentence(std::move(item), shown);
    } else if (is_wanted(chunk->position)) {
      shown.push_back(std::move(item));
    }
  }
  if (!waits_) return shown;
  std::move(shown.begin(), shown.end(), std::back_inserter(held_));
  return {};
}

std::vector<FollowItem> LogChoice::shows() {
  if (!std::exchange(waits_, false)) return {};
  std::map<std::tuple<Attempt, uint32_t, OutputStream>, uint64_t> lines;
  std::vector<FollowItem> tail;
  for (auto item = held_.rbegin(); item != held_.rend(); ++item) {
    const auto* chunk = std::get_if<OutputChunk>(&item->item);
    const OutputPosition at = chunk == nullptr ? OutputPosition() : chunk->position;
    if (chunk == nullptr || lines[{at.attempt, at.index, at.stream}]++ < *request_.tail_lines)
      tail.push_back(std::move(*item));
  }
  held_.clear();
  std::reverse(tail.begin(), tail.end());
  return tail;
}

std::vector<FollowItem> LogChoice::rest() {
  std::vector<FollowItem> shown;
  if (request_.events) tell_up_to(events_.size(), shown);
  return shown;
}

}  // namespace muster
