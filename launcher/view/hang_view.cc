// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/hang_view.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/client/view/status_lines.h"
#include "core/machine/watchdog/pace.h"

namespace muster {
namespace {

// "550" → "0.55".
std::string part_of(uint32_t permille) {
  const std::string hundredths = std::to_string(permille / 10);
  return "0." + std::string(2 - std::min<size_t>(hundredths.size(), 2), '0') + hundredths;
}

bool is_slow(const RankView& rank) { return rank.pace > 0 && rank.pace < watchdog::kSlow; }

std::string words_of(RankFinding::Kind kind) {
  switch (kind) {
    case RankFinding::Kind::stopped: return "stopped";
    case RankFinding::Kind::in_io: return "in I/O";
    case RankFinding::Kind::stuck: return "stuck in I/O";
  }
  return "";
}

constexpr size_t most_places = 8;
constexpr size_t most_frames = 6;
constexpr size_t most_names = 4;

// The callers of the location: the remaining frames of the first thread, which is a Python thread in a Python program. Before them,
// the reason if muster could not read Python functions.
std::string callers(const std::string& stack) {
  std::string text;
  const std::vector<std::string> lines = split(stack, '\n');
  size_t at = 0;
  for (; at < lines.size() && !lines[at].starts_with("  Python thread") && !lines[at].starts_with("  thread "); ++at) {
    if (lines[at].starts_with("  Python: ")) text += "  " + escaped(lines[at]) + "\n";
  }
  // The head of the thread, and the frame that is the location itself. A thread may have no frames.
  const auto is_frame = [&](size_t i) { return i < lines.size() && lines[i].starts_with("    "); };
  for (size_t i = at + 2; is_frame(at + 1) && is_frame(i) && i < at + 2 + most_frames; ++i)
    text += escaped(lines[i]) + "\n";
  return text;
}

}  // namespace

std::vector<std::string> exception_sentences(const JobView& job) {
  std::vector<std::string> sentences;
  size_t more = 0;
  for (const RankView& rank : job.ranks) {
    if (rank.phase != RankPhase::running || !rank.standing || rank.standing->exception.empty()) continue;
    if (sentences.size() < most_names)
      sentences.push_back(rank.name + " has printed an exception and still runs: " + rank.standing->exception);
    else
      ++more;
  }
  if (more > 0) sentences.push_back(count_of(more, "other rank") + " printed exceptions too");
  return sentences;
}

std::string location_view(const JobView& job) {
  std::vector<std::pair<std::string, std::vector<std::string>>> places;
  for (const RankView& rank : job.ranks) {
    if (rank.phase != RankPhase::running || !rank.standing || rank.standing->place.empty()) continue;
    const std::string text = escaped(rank.standing->place) + "\n" + callers(rank.standing->stack);
    const auto known =
        std::find_if(places.begin(), places.end(), [&](const auto& entry) { return entry.first == text; });
    if (known == places.end()) {
      places.push_back({text, {rank.name}});
    } else {
      known->second.push_back(rank.name);
    }
  }
  const bool has_stacks = !hang_sentences(job).empty() && !job.hang_stack.empty();
  if (places.empty() || has_stacks) return "";
  std::string text = "Where its ranks are now:\n";
  for (size_t i = 0; i < std::min(places.size(), most_places); ++i)
    text += "  " + short_list(places[i].second, most_names) + ": " + places[i].first;
  if (places.size() > most_places) text += "  And " + count_of(places.size() - most_places, "other place") + ".\n";
  return text;
}

std::string rank_trouble(const RankView& rank, TimePoint now) {
  if (rank.phase != RankPhase::running) return "";
  if (rank.finding) {
    const std::string place = rank.standing ? rank.standing->place : "";
    return words_of(rank.finding->kind) + " for " + humane_duration(std::max(now - rank.finding->since, Duration(0))) +
           (place.empty() ? "" : ", in " + escaped(place));
  }
  if (is_slow(rank)) return "slow: " + part_of(rank.pace) + " of the median pace";
  return "";
}

std::string ranks_in_trouble(const JobView& job) {
  std::map<std::string, size_t> counts;
  for (const RankView& rank : job.ranks) {
    if (rank.phase != RankPhase::running || job.done) continue;
    const bool stuck = rank.finding && rank.finding->kind != RankFinding::Kind::in_io;
    if (stuck) ++counts[words_of(rank.finding->kind)];
    if (!rank.finding && is_slow(rank)) ++counts["slow"];
  }
  std::vector<std::string> parts;
  for (const auto& [words, count] : counts) parts.push_back(std::to_string(count) + " " + words);
  return join(parts, ", ");
}

std::vector<std::string> hang_sentences(const JobView& job) {
  if (job.done || job.hang.empty()) return {};
  return split(job.hang, '\n');
}

std::string short_finding(const std::string& sentence) {
  constexpr std::string_view kHangs = " hangs: ";
  const size_t hangs = sentence.find(kHangs);
  const size_t from = hangs == std::string::npos ? 0 : hangs + kHangs.size();
  return sentence.substr(0, std::min(sentence.find(": ", from), sentence.find("; ", from)));
}

std::string hang_advice(const JobView& job, const Style& style) {
  for (const RankView& rank : job.ranks) {
    const bool stopped =
        rank.finding && rank.finding->kind == RankFinding::Kind::stopped && rank.phase == RankPhase::running;
    if (!stopped || rank.pid <= 0) continue;
    return "kill -CONT " + std::to_string(rank.pid) + " on " + rank.host + " continues " + rank.name +
           "; hangs: {action: restart} would restart its gang";
  }
  const std::string name = asked_as(job, style);
  return "muster logs " + name + " -n 20 shows the last lines of each rank, muster stop " + name + " ends the job";
}

}  // namespace muster
