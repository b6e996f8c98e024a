// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/machine/queue/queue.h"

namespace muster::queue {
namespace {

using Jobs = std::vector<Waiting>;

// Distance between the places of moved jobs, in nanoseconds. Thirty more jobs fit between any two.
constexpr int64_t kApart = 1'000'000'000;

Jobs::iterator find(Jobs& jobs, const JobId& id) {
  return std::find_if(jobs.begin(), jobs.end(), [&](const Waiting& job) { return job.id == id; });
}

// The job's new index among the others.
size_t target(Jobs& others, const Order& order) {
  if (order.act == Act::first) return 0;
  if (order.act == Act::last) return others.size();
  const auto other = static_cast<size_t>(find(others, order.other) - others.begin());
  return order.act == Act::after ? other + 1 : other;
}

// The priority nearest to the job's own that fits between those of its neighbours.
int32_t fitting_priority(const Jobs& others, size_t at, int32_t own) {
  const int32_t low = at < others.size() ? others[at].place.priority : std::numeric_limits<int32_t>::min();
  const int32_t high = at > 0 ? others[at - 1].place.priority : std::numeric_limits<int32_t>::max();
  return std::clamp(own, low, high);
}

// Moves jobs behind it by as much as needed.
std::vector<Change> shifted(const Jobs& others, size_t at, const Place& before) {
  std::vector<Change> changes;
  int64_t least = before.place + kApart;
  for (size_t i = at; i < others.size() && others[i].place.priority == before.priority; ++i, least += kApart) {
    if (others[i].place.place >= least) break;
    Place place = others[i].place;
    place.place = least;
    changes.push_back({others[i].id, place, ""});
  }
  return changes;
}

// Puts `place` between others[at - 1] and others[at].
std::vector<Change> squeeze(const Jobs& others, size_t at, Place& place, TimePoint now) {
  const bool left = at > 0 && others[at - 1].place.priority == place.priority;
  const bool right = at < others.size() && others[at].place.priority == place.priority;
  if (left && !right) place.place = std::max(others[at - 1].place.place + 1, to_unix_nanos(now));
  if (right && !left) place.place = others[at].place.place - kApart;
  if (!left || !right) return {};
  const int64_t gap = others[at].place.place - others[at - 1].place.place;
  place.place = others[at - 1].place.place + (gap > 1 ? gap / 2 : kApart);
  return gap > 1 ? std::vector<Change>() : shifted(others, at, place);
}

std::string sentence_of(const Place& before, const Place& after, const Order& order, const std::string& other) {
  const std::string priority = before.priority == after.priority ? "" : std::to_string(after.priority);
  std::string moved;
  switch (order.act) {
    case Act::hold: return "held by " + after.held_by;
    case Act::release: return "released by " + order.by;
    case Act::first: moved = "moved to the front of the queue"; break;
    case Act::last: moved = "moved to the end of the queue"; break;
    case Act::before: moved = "moved before " + other + " in the queue"; break;
    case Act::after: moved = "moved behind " + other + " in the queue"; break;
    case Act::stay: return "priority set to " + priority + " by " + order.by;
  }
  return moved + " by " + order.by + (priority.empty() ? "" : "; its priority is now " + priority);
}

Status not_waiting(const std::string& job) {
  return Status(Code::failed_precondition, job + " is not queued; muster ps lists the queued jobs");
}

bool moves(Act act) { return act == Act::first || act == Act::last || act == Act::before || act == Act::after; }

}  // namespace

Result<std::vector<Change>> arrange(Jobs waiting, const Order& order, TimePoint now) {
  sort(waiting);
  const auto found = find(waiting, order.job);
  if (found == waiting.end()) return not_waiting("the job");
  const Waiting job = *found;
  const auto was = static_cast<size_t>(found - waiting.begin());
  waiting.erase(found);
  const bool beside = order.act == Act::before || order.act == Act::after;
  if (beside && order.other == order.job)
    return Status(Code::invalid_argument,
                  "cannot move " + job.name + " before or after itself; name another queued job");
  const auto other = find(waiting, order.other);
  if (beside && other == waiting.end()) return not_waiting("the other job");
  const std::string name = beside ? other->name : "";
  Place place = job.place;
  place.priority = order.priority.value_or(place.priority);
  if (order.act == Act::hold && place.held_by.empty()) place.held_by = order.by + " with `muster hold`";
  if (order.act == Act::release) place.held_by.clear();
  std::vector<Change> others;
  const size_t at = moves(order.act) ? target(waiting, order) : was;
  const int32_t fitting = moves(order.act) ? fitting_priority(waiting, at, place.priority) : place.priority;
  if (moves(order.act) && (at != was || fitting != job.place.priority)) {
    place.priority = fitting;
    others = squeeze(waiting, at, place, now);
  }
  if (place == job.place) return std::vector<Change>();
  std::vector<Change> changes{{job.id, place, sentence_of(job.place, place, order, name)}};
  changes.insert(changes.end(), others.begin(), others.end());
  return changes;
}

}  // namespace muster::queue
