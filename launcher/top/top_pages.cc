// SPDX-License-Identifier: Apache-2.0
#include "launcher/top/top_pages.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/client/view/narrow.h"
#include "core/client/view/status_lines.h"
#include "launcher/view/hang_view.h"
#include "launcher/view/progress_view.h"

namespace muster {
namespace {

std::string gpus_text(const RankView& rank) { return rank.gpus.empty() ? "–" : std::to_string(rank.gpus.size()); }

std::string pace_text(const RankView& rank) {
  return rank.pace == 0 ? "–" : std::to_string((rank.pace + 5) / 10) + " %";
}

std::string last_line_of(const TopState& state, uint32_t index) {
  const auto found = state.output.find(index);
  return found == state.output.end() || found->second.empty() ? "" : found->second.back();
}

std::string step_text(const RankView& rank) {
  return rank.progress ? step_of(JobProgress{*rank.progress, Duration(0), Duration(0)}) : "–";
}

std::vector<std::string> rank_lines(const TopState& state, const JobView& job, const Style& style) {
  std::vector<Row> rows{
      {{"RANK"}, {"HOST"}, {"PHASE"}, {"PID"}, {"CPU"}, {"MEM"}, {"GPU"}, {"STEP"}, {"PACE"}, {"LAST LINE"}}};
  for (const RankView& rank : job.ranks) {
    const std::string phase = std::string(to_string(rank.phase)) + (rank.finding ? "!" : "");
    rows.push_back({{rank.name},
                    {rank.host},
                    {phase, rank.finding ? Colour::red : Colour::none},
                    {rank.pid > 0 ? std::to_string(rank.pid) : "–"},
                    {cpu_text(rank.use)},
                    {memory_text(rank.use)},
                    {gpus_text(rank)},
                    {step_text(rank)},
                    {pace_text(rank)},
                    {last_line_of(state, rank.index)}});
  }
  constexpr size_t kReadable = 20;
  drop_until_fits(rows, {"GPU", "PACE", "HOST", "PID", "MEM", "STEP"}, style.columns, kReadable);
  return lines_of(table(rows, style, 2));
}

std::vector<std::string> timeline(const TopState& state, const Style& style, size_t rows) {
  std::vector<std::string> lines;
  for (const JobEvent& event : state.events) {
    if (!event.sentence.empty()) append(lines, lines_of("  " + timeline_line(event, style)));
  }
  if (rows > 0 && lines.size() > rows) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(rows));
  return lines;
}

std::string name_of(const JobView& job, uint32_t index) {
  return index < job.ranks.size() ? job.ranks[index].name : "";
}

}  // namespace

std::string cpu_text(const std::optional<RankUse>& use) {
  return use ? std::to_string((use->cpu_permille + 5) / 10) + " %" : "–";
}

std::string memory_text(const std::optional<RankUse>& use) { return use ? humane_size(use->memory_bytes) : "–"; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<std::string> marked(std::vector<std::string> lines, size_t chosen, const Style& style) {
  if (chosen >= lines.size() || !lines[chosen].starts_with("  ")) return lines;
  lines[chosen] = paint(style, Colour::cyan, "›") + lines[chosen].substr(1);
  return lines;
}

std::vector<std::string> window(std::vector<std::string> lines, size_t chosen, size_t rows) {
  if (rows == 0 || lines.size() <= rows) return lines;
  const size_t wanted = chosen < rows ? 0 : chosen - rows + 1;
  const size_t first = std::min(wanted, lines.size() - rows);
  return {lines.begin() + static_cast<std::ptrdiff_t>(first),
          lines.begin() + static_cast<std::ptrdiff_t>(first + rows)};
}

// Escape sequences (SGR) have no width.
std::string cut_painted(const std::string& line, size_t columns) {
  if (columns == 0) return line;
  std::string plain;
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      plain += line[at];
      continue;
    }
    while (at < line.size() && line[at] != 'm') ++at;
  }
  return display_width(plain) <= columns ? line : cut(plain, columns);
}

std::string open_title(const TopState& state, const Style& style) {
  const JobView* job = chosen_job(state);
  if (job == nullptr) return "";
  std::string title = paint(style, Colour::bold, job->name) + "  " +
                      paint(style, colour_of_state(job->state), job->state) + " · attempt " +
                      std::to_string(job->attempt) + " · " + size_of(*job);
  if (job->progress) title += " · " + progress_sentence(*job->progress, job->done);
  return title;
}

std::vector<std::string> job_page(const TopState& state, const Style& style, size_t rows) {
  const JobView* job = chosen_job(state);
  if (job == nullptr) return {};
  std::vector<std::string> ranks = rank_lines(state, *job, style);
  std::vector<std::string> lines{ranks.front()};
  ranks.erase(ranks.begin());
  constexpr size_t kLeastTimeline = 6;  // with its headline and a blank line above
  const size_t room = rows == 0 ? 0 : std::max<size_t>(1, rows > kLeastTimeline + 1 ? rows - kLeastTimeline - 1 : 1);
  append(lines, window(marked(std::move(ranks), state.rank, style), state.rank, room));
  for (const std::string& sentence : hang_sentences(*job)) lines.push_back("  " + paint(style, Colour::red, sentence));
  lines.push_back("");
  lines.push_back("  " + paint(style, Colour::bold, "TIMELINE"));
  append(lines, timeline(state, style, rows > lines.size() ? rows - lines.size() : 0));
  return lines;
}

std::vector<std::string> output_page(const TopState& state, const Style&, size_t rows) {
  const JobView* job = chosen_job(state);
  if (job == nullptr) return {};
  std::vector<std::string> lines;
  for (const auto& [index, printed] : state.output) {
    if (!state.all_ranks && index != state.rank) continue;
    for (const std::string& line : printed)
      lines.push_back(state.all_ranks && job->ranks.size() > 1 ? "[" + std::to_string(index) + "] " + line : line);
  }
  const std::string whose = state.all_ranks ? "each rank" : name_of(*job, state.rank);
  const size_t room = rows > 1 ? rows - 1 : rows;
  if (room > 0 && lines.size() > room) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(room));
  if (lines.empty()) lines = {"(no output yet)"};
  lines.insert(lines.begin(), "the last lines of " + whose);
  return lines;
}

std::vector<std::string> help_page() {
  return {"",
          "  ↑ ↓ j k        select a job, or a rank of an open job; also PgUp PgDn Home End",
          "  Enter          open the job: its ranks and timeline; then the output of a rank",
          "  o l            show the output",
          "  < > s ← →      sort by another column;  r  reverse the order",
          "  /              show only jobs whose name, state or host contains a text",
          "  x              stop the job (asks first)",
          "  q Esc          go back; in the table of jobs: quit",
          "",
          "  CPU: 100 % is one whole CPU. MEM: resident memory; shared pages count in each process.",
          "  Both include child processes of the rank, and are measured only while muster top runs.",
          "  PACE: the steps of a rank (process) in a period, relative to the median rank.",
          "",
          "  press any key to continue"};
}

}  // namespace muster
