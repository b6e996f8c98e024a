// SPDX-License-Identifier: Apache-2.0
#include "launcher/top/top_view.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/client/view/narrow.h"
#include "launcher/top/top_pages.h"
#include "launcher/view/jobs_table.h"
#include "launcher/view/progress_view.h"

namespace muster {
namespace {

constexpr const char* kTitles[] = {"NAME",     "STATE", "NODES", "RANKS", "STEP", "ETA",
                                   "RESTARTS", "CPU",   "MEM",   "GPU",   "AGE",  "WHERE"};

std::string count_or_dash(size_t count) { return count > 0 ? std::to_string(count) : "–"; }

Row row_of(const JobView& job, const Style& style) {
  const auto use = use_of(job);
  return {{job.name, Colour::bold},
          {job.state, colour_of_state(job.state)},
          {count_or_dash(job.nodes)},
          {count_or_dash(job.ranks.size())},
          {job.progress ? step_of(*job.progress) : or_dash("")},
          {job.progress && !job.done ? eta_of(*job.progress) : or_dash("")},
          {std::to_string(job.restarts)},
          {cpu_text(use)},
          {memory_text(use)},
          {count_or_dash(gpus_of(job))},
          {age(job.submitted, style.now)},
          {job_where(job)},
          {escaped(job_note(job))}};
}

Row headline(const TopState& state, bool choosing) {
  Row row;
  for (const char* title : kTitles) row.push_back({title});
  if (choosing) row[static_cast<size_t>(state.sort)].text += state.reverse ? "▴" : "▾";
  row.push_back({""});
  return row;
}

// Drops the least important columns until the rows fit. Name, state and the sorted column stay.
void make_room(std::vector<Row>& rows, const TopState& state, const Style& style, size_t indent) {
  constexpr size_t kReadable = 24;
  if (style.columns == 0) return;
  const bool told = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.back().text.empty(); });
  std::vector<std::string> titles{"WHERE", "NODES", "RESTARTS", "GPU", "ETA", "RANKS", "AGE", "STEP", "MEM"};
  std::erase(titles, kTitles[static_cast<size_t>(state.sort)]);
  drop_until_fits(rows, titles, style.columns, indent + (told ? kReadable : 0));
}

// indent: blanks for the mark of the selected job; 0: no selection.
std::vector<std::string> jobs_lines(const TopState& state, const Style& style, size_t indent) {
  std::vector<Row> rows{headline(state, indent > 0)};
  for (const JobView* job : shown_jobs(state)) rows.push_back(row_of(*job, style));
  make_room(rows, state, style, indent);
  return lines_of(table(rows, style, indent));
}

std::string counted(const TopState& state) {
  size_t live = 0;
  for (const JobView& job : state.jobs) live += job.done ? 0 : 1;
  const size_t ended = state.jobs.size() - live;
  return count_of(live, "live job") + (ended > 0 ? ", " + std::to_string(ended) + " ended in the last hour" : "");
}

std::vector<std::string> jobs_page(const TopState& state, const Style& style, size_t rows) {
  constexpr size_t kIndent = 2;
  const auto shown = shown_jobs(state);
  std::vector<std::string> table = jobs_lines(state, style, kIndent);
  std::vector<std::string> lines{table.front()};
  table.erase(table.begin());
  if (shown.empty())
    table = {state.filter.empty() ? "  no jobs; to start one: muster run -- PROGRAM"
                                  : "  no job has this text in its name, state or place"};
  const auto at = std::find_if(shown.begin(), shown.end(), [&](const JobView* job) { return job->id == state.job; });
  const size_t chosen = at == shown.end() ? shown.size() : static_cast<size_t>(at - shown.begin());
  append(lines,
         window(shown.empty() ? table : marked(std::move(table), chosen, style), chosen, rows == 0 ? 0 : rows - 1));
  return lines;
}

std::string first_line(const TopState& state, const Style& style) {
  std::string line = paint(style, Colour::bold, "muster top") + "  " + format_utc(style.now).substr(11, 8) + "  ";
  line += state.page == TopPage::jobs ? counted(state) : open_title(state, style);
  if (!state.filter.empty() && state.page == TopPage::jobs) line += "  with `" + state.filter + "`";
  return line;
}

// The keys of the page, the most useful first. The last two stay in narrow terminals.
std::string hints_of(TopPage page, size_t columns) {
  std::vector<std::string> hints{"↑↓ another rank", "x stop", "? help", "q back"};
  if (page == TopPage::job) hints = {"↑↓ choose", "Enter output of the rank", "x stop", "? help", "q back"};
  if (page == TopPage::jobs)
    hints = {"↑↓ choose", "Enter open", "/ filter", "x stop", "o output", "<> sort", "r reverse", "? help", "q quit"};
  while (columns > 0 && hints.size() > 2 && display_width(join(hints, "  ")) > columns) hints.erase(hints.end() - 3);
  return join(hints, "  ");
}

std::string last_line(const TopState& state, const Style& style) {
  const JobView* job = chosen_job(state);
  if (state.filtering) return "/" + state.filter + "▏  Enter keeps the filter, Esc clears it";
  if (state.asks_stop && job != nullptr) return "stop " + job->name + "?  y: yes, any other key: no";
  if (!state.remark.empty()) return paint(style, Colour::yellow, state.remark);
  return paint(style, Colour::dim, hints_of(state.page, style.columns));
}

}  // namespace

std::vector<std::string> top_screen(const TopState& state, const Style& style, size_t rows) {
  const size_t between = rows > 2 ? rows - 2 : rows == 0 ? 0 : 1;
  std::vector<std::string> lines{first_line(state, style)};
  append(lines, state.help                    ? help_page()
                : state.page == TopPage::jobs ? jobs_page(state, style, between)
                : state.page == TopPage::job  ? job_page(state, style, between)
                                              : output_page(state, style, between));
  if (rows > 0) lines.resize(rows > 1 ? rows - 1 : 1);
  lines.push_back(last_line(state, style));
  if (rows == 1) lines.pop_back();
  for (std::string& line : lines) line = cut_painted(line, style.columns);
  return lines;
}

std::string top_table(const TopState& state, const Style& style) {
  if (shown_jobs(state).empty()) return "";
  std::string text;
  for (const std::string& line : jobs_lines(state, style, 0)) text += line + "\n";
  return text;
}

}  // namespace muster
