// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/jobs_table.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/client/view/narrow.h"
#include "core/client/view/status_lines.h"
#include "launcher/view/describe_view.h"
#include "launcher/view/hang_view.h"
#include "launcher/view/progress_view.h"

namespace muster {
namespace {

Row headline(bool wide) {
  Row row{{"NAME"}, {"STATE"}, {"NODES"}, {"RANKS"}, {"STEP"}, {"ETA"}, {"RESTARTS"}, {"AGE"}, {"TOOK"}, {"WHERE"}};
  if (wide) row.insert(row.end(), {{"ID"}, {"ATTEMPT"}, {"FRAMEWORK"}, {"DISK"}, {"WORKDIR"}, {"COMMAND"}});
  row.push_back({""});
  return row;
}

std::string count_or_dash(size_t count) { return count > 0 ? std::to_string(count) : "–"; }

// Not known for a job in a cluster whose coordinator did not answer.
std::string restarts_of(const JobView& job) {
  return job.attempt == 0 && job.backend == "kubernetes" ? "–" : std::to_string(job.restarts);
}

std::string took(const JobView& job, TimePoint now) {
  if (job.started == TimePoint()) return "–";
  const TimePoint end = job.ended == TimePoint() ? now : job.ended;
  if (end - job.started >= std::chrono::minutes(1)) return age(job.started, end);
  return humane_duration(end - job.started);
}

using Sizes = std::map<JobId, uint64_t>;

std::string disk_of(const JobView& job, const Sizes& sizes) {
  const auto found = sizes.find(job.id);
  return found == sizes.end() ? "–" : humane_size(found->second);
}

// Of all groups; a long one is cut.
std::string command_of(const JobView& job) {
  constexpr size_t readable = 80;
  return or_dash(cut(join(commands_of(job), "; "), readable));
}

Row row_of(const JobView& job, const Style& style, bool wide, const Sizes& sizes) {
  const std::string state = ranks_in_trouble(job);
  Row row{
      {job.name, Colour::bold},
      {state.empty() ? job.state : job.state + ", " + state, state.empty() ? colour_of_state(job.state) : Colour::red},
      {count_or_dash(job.nodes)},
      {count_or_dash(job.ranks.size())},
      {job.progress ? step_of(*job.progress) : or_dash("")},
      {job.progress && !job.done ? eta_of(*job.progress) : or_dash("")},
      {restarts_of(job)},
      {age(job.submitted, style.now)},
      {took(job, style.now)},
      {job_where(job)}};
  if (wide) {
    row.insert(row.end(), {{job.id.text()},
                           {count_or_dash(job.attempt)},
                           {or_dash(job.framework)},
                           {disk_of(job, sizes)},
                           {or_dash(job.workdir)},
                           {command_of(job)}});
  }
  row.push_back({escaped(job_note(job)), Colour::dim});
  return row;
}

void drop_column_named(std::vector<Row>& rows, const std::string& title) {
  const Row& titles = rows.front();
  const auto found = std::find_if(titles.begin(), titles.end(), [&](const auto& cell) { return cell.text == title; });
  if (found != titles.end()) drop_column(rows, static_cast<size_t>(found - titles.begin()));
}

// Drops STEP and ETA if no job reports progress.
void drop_silent_columns(std::vector<Row>& rows, const std::vector<JobView>& jobs) {
  if (std::any_of(jobs.begin(), jobs.end(), [](const JobView& job) { return job.progress.has_value(); })) return;
  for (const char* title : {"STEP", "ETA"}) drop_column_named(rows, title);
}

// Fits the table into the terminal: drops less important columns first, then the note, then columns that `muster describe`
// also shows.
void make_room(std::vector<Row>& rows, const Style& style) {
  constexpr size_t readable = 30;
  constexpr size_t least = 20;
  constexpr size_t gap = 2;  // after the last column
  const bool told = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.back().text.empty(); });
  const size_t columns = style.columns == 0 ? 0 : style.columns + gap;
  drop_until_fits(rows, {"TOOK", "RESTARTS", "NODES", "ETA"}, columns, told ? readable + gap : 0);
  if (columns == 0 || width_before_last(rows) + (told ? least + gap : 0) <= columns) return;
  for (Row& row : rows) row.back().text.clear();
  drop_until_fits(rows, {"WHERE", "AGE", "STEP", "RANKS"}, columns, 0);
}

}  // namespace

std::string job_note(const JobView& job) {
  if (!job.waits_for.empty()) return "waits for " + job.waits_for;
  if (const auto hangs = hang_sentences(job); !hangs.empty()) return short_finding(hangs.front());
  const bool told = job.state == "failed" || job.state == "backoff" || job.state == "damaged";
  const std::string why = told ? without_state(job.sentence, job.state) : "";
  return why.find(" hangs: ") == std::string::npos ? why : short_finding(why);
}

std::string job_where(const JobView& job) {
  if (job.backend == "typed") return count_of(job.nodes, "host");
  if (job.backend != "ssh") return or_dash(job.backend);
  std::set<std::string> hosts;
  for (const RankView& rank : job.ranks) hosts.insert(rank.host);
  if (hosts.size() == 1) return *hosts.begin();
  return hosts.empty() ? job.backend : count_of(hosts.size(), "host");
}

std::string jobs_table(std::vector<JobView> jobs, const Style& style, bool wide, const Sizes& sizes) {
  if (jobs.empty()) return "";
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const JobView& a, const JobView& b) { return a.submitted > b.submitted; });
  std::vector<Row> rows{headline(wide)};
  for (const JobView& job : jobs) rows.push_back(row_of(job, style, wide, sizes));
  drop_silent_columns(rows, jobs);
  if (!wide) make_room(rows, style);
  return table(rows, style);
}

std::string idle_agents_table(const std::vector<IdleAgent>& agents, const Style& style) {
  if (agents.empty()) return "";
  std::vector<Row> rows{{{"WARM"}, {"PID"}, {"MEMORY"}, {"WAITS"}}};
  for (const IdleAgent& agent : agents)
    rows.push_back({{agent.warm.empty() ? "-" : escaped(agent.warm), Colour::bold},
                    {std::to_string(agent.pid)},
                    {agent.memory_bytes == 0 ? "-" : humane_size(agent.memory_bytes)},
                    {age(agent.since, style.now)}});
  return table(rows, style);
}

std::string idle_agents_note(const std::vector<IdleAgent>& agents) {
  uint64_t bytes = 0;
  size_t warm = 0;
  for (const IdleAgent& agent : agents) {
    if (agent.warm.empty()) continue;
    ++warm;
    bytes += agent.memory_bytes;
  }
  if (warm == 0) return "";
  const std::string keep = warm == 1 ? " idle agent keeps" : " idle agents keep";
  return std::to_string(warm) + keep + " imported packages for the next job" +
         (bytes == 0 ? "" : ", " + humane_size(bytes) + " of memory") + ": muster ps --agents\n";
}

}  // namespace muster
