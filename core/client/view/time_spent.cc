// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/time_spent.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/client/view/attempts_view.h"

namespace muster {
namespace {

constexpr size_t kBar = 30;
constexpr size_t kMostShares = 4;  // the largest shares are shown

struct Look {
  const char* name;
  const char* block;  // in the bar
  Colour colour;
};
constexpr std::array<Look, 7> kLooks = {{{"queue", "·", Colour::dim},
                                         {"setup", "▚", Colour::magenta},
                                         {"start", "▒", Colour::yellow},
                                         {"import", "▓", Colour::cyan},
                                         {"useful", "█", Colour::green},
                                         {"restart", "░", Colour::red},
                                         {"stop", "▒", Colour::dim}}};

const Look& look_of(SpentOn phase) { return kLooks[static_cast<size_t>(phase)]; }

// A sequence of adjacent spans. A span that would end before it begins is left out.
class Timeline {
 public:
  explicit Timeline(TimePoint begin) : at_(begin) {}
  void until(SpentOn phase, TimePoint end) {
    if (end <= at_) return;
    if (!spans_.empty() && spans_.back().phase == phase) {
      spans_.back().end = end;
    } else {
      spans_.push_back({phase, at_, end});
    }
    at_ = end;
  }
  std::vector<Span> take() { return std::move(spans_); }

 private:
  TimePoint at_;
  std::vector<Span> spans_;
};

bool known(TimePoint time) { return time != TimePoint(); }

void add_attempt(Timeline& timeline, const AttemptView& attempt, bool first, TimePoint now) {
  timeline.until(first ? SpentOn::queue : SpentOn::restart, attempt.placed);
  const TimePoint ended = known(attempt.stopping) ? attempt.stopping : known(attempt.ended) ? attempt.ended : now;
  const TimePoint begun = known(attempt.importing) ? attempt.importing : attempt.running;
  const SpentOn beginning = first ? SpentOn::start : SpentOn::restart;
  if (known(attempt.preparing)) {
    timeline.until(beginning, std::min(attempt.preparing, ended));
    timeline.until(SpentOn::setup, known(attempt.prepared) ? std::min(attempt.prepared, ended) : ended);
  }
  timeline.until(beginning, known(begun) ? begun : ended);
  if (known(attempt.working)) timeline.until(SpentOn::import, std::min(attempt.working, ended));
  timeline.until(SpentOn::useful, ended);
}

// "96 %", "2.2 %", "under 0.1 %".
std::string percent(double share) {
  const double value = share * 100;
  if (value >= 10 || value == 0) return std::to_string(static_cast<int>(value + 0.5)) + " %";
  const auto tenths = static_cast<int>(value * 10 + 0.5);
  return tenths == 0 ? "under 0.1 %" : std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

SpentOn phase_at(const std::vector<Span>& spans, TimePoint time) {
  const auto found = std::find_if(spans.begin(), spans.end(), [&](const Span& span) { return time < span.end; });
  return found == spans.end() ? spans.back().phase : found->phase;
}

std::string bar(const std::vector<Span>& spans, const Style& style) {
  const Duration whole = spans.back().end - spans.front().begin;
  std::string text;
  for (size_t i = 0; i < kBar; ++i) {
    const Look& look = look_of(phase_at(spans, spans.front().begin + whole * (2 * i + 1) / (2 * kBar)));
    text += paint(style, look.colour, look.block);
  }
  return text + "  ";
}

// The time of a hang is not useful, and a job's record does not say when a hang began. The stack of an attempt is that
// of ranks that hung.
bool has_hung(const JobView& job) {
  if (!job.done && !job.hang.empty()) return true;
  return !job.attempts.empty() && !job.attempts.back().stack.empty();
}

std::set<std::string> groups_of(const JobView& job) {
  std::set<std::string> groups;
  for (const AttemptView& attempt : job.attempts) groups.insert(attempt.group);
  return groups;
}

}  // namespace

const char* to_string(SpentOn phase) { return look_of(phase).name; }

std::vector<Span> spans_of(const JobView& job, const std::string& group, TimePoint now) {
  Timeline timeline(job.submitted);
  const TimePoint end = job.done ? job.ended : now;
  bool first = true;
  for (const AttemptView* attempt : attempts_of(job, group)) {
    add_attempt(timeline, *attempt, first, end);
    first = false;
  }
  const bool ends = job.done || job.state == "stopping";
  timeline.until(first ? SpentOn::queue : ends ? SpentOn::stop : SpentOn::restart, end);
  return timeline.take();
}

std::vector<std::pair<SpentOn, Duration>> time_spent(const JobView& job, TimePoint now) {
  std::map<SpentOn, Duration> sums;
  std::set<std::string> groups = groups_of(job);
  if (groups.empty()) groups.insert("");
  for (const std::string& group : groups) {
    for (const Span& span : spans_of(job, group, now)) sums[span.phase] += span.end - span.begin;
  }
  return {sums.begin(), sums.end()};
}

std::string spent_line(const JobView& job, const Style& style) {
  std::vector<std::pair<SpentOn, Duration>> spent = time_spent(job, style.now);
  if (spent.empty() || job.attempts.empty() || has_hung(job)) return "";
  Duration whole(0);
  for (const auto& [phase, time] : spent) whole += time;
  std::stable_sort(spent.begin(), spent.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> shares;
  for (const auto& [phase, time] : spent) {
    if (shares.size() == kMostShares) break;
    const double share = static_cast<double>(time.count()) / static_cast<double>(whole.count());
    shares.push_back(percent(share) + " " + to_string(phase));
  }
  constexpr uint16_t kRoomForBar = 60;
  const bool drawn_too = !by_group(job) && (style.columns == 0 || style.columns >= kRoomForBar);
  const std::string drawn = !drawn_too ? "" : bar(spans_of(job, "", style.now), style);
  return drawn + join(shares, " · ");
}

}  // namespace muster
