// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/describe_view.h"

#include <algorithm>
#include <csignal>
#include <map>

#include "core/base/text.h"
#include "core/client/view/attempts_view.h"
#include "core/client/view/narrow.h"
#include "core/client/view/status_lines.h"
#include "core/client/view/time_spent.h"
#include "core/job/file/job_yaml.h"
#include "launcher/view/hang_view.h"
#include "launcher/view/progress_view.h"
#include "launcher/view/short_command.h"

namespace muster {
namespace {

constexpr size_t most_rank_lines = 64;
constexpr size_t most_attempt_lines = 20;

std::string headline(const JobView& job, const Style& style) {
  std::string text = paint(style, Colour::bold, job.name) + "   " + paint(style, colour_of_state(job.state), job.state);
  if (job.attempt > 0) text += " · attempt " + std::to_string(job.attempt);
  // Attempts that started because a host joined do not count against the limit.
  const bool counted = job.backend != "typed" || job.attempt == job.restarts + 1;
  // Neither do some restarts (restarts.always_on, restarts.window).
  if (job.attempt > 0 && counted && job.attempt <= job.restart_limit + 1)
    text += " of " + std::to_string(job.restart_limit + 1);
  const std::string size = size_of(job);
  if (!size.empty()) text += " · " + size;
  if (!job.framework.empty()) text += " · " + framework_in_words(job.framework);
  return text + "\n";
}

std::string times(const JobView& job, const Style& style) {
  std::string text = "submitted " + ago(job.submitted, style.now);
  if (!job.origin.empty()) text += " from " + escaped(job.origin);
  if (job.started != TimePoint()) {
    const TimePoint end = job.done ? job.ended : style.now;
    text += " · " + std::string(job.done ? "took " : "running for ") +
            humane_duration(std::max(end - job.started, Duration(0)));
  }
  return text;
}

std::string labels_of(const JobView& job) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : job.labels) pairs.push_back(escaped(key + "=" + value));
  return join(pairs, " ");
}

// Empty for a job that is not queued and has the default priority.
std::string queue_text(const JobView& job) {
  std::vector<std::string> parts;
  if (job.queue_place == 1) parts.push_back("first");
  if (job.queue_place > 1) parts.push_back("place " + std::to_string(job.queue_place));
  if (job.priority != 0) parts.push_back("priority " + std::to_string(job.priority));
  return join(parts, ", ");
}

// Wraps long sentences instead of cutting them.
std::string unshortened(const std::vector<Row>& rows, const Style& style) {
  constexpr size_t margin = 2;
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, display_width(row[0].text));
  const size_t indent = margin + width + 2;
  std::string text;
  for (const Row& row : rows) {
    const std::string gap(indent - margin - display_width(row[0].text), ' ');
    const std::string value = style.columns > 0 ? wrapped(row[1].text, style.columns, indent) : row[1].text;
    text += std::string(margin, ' ') + paint(style, row[0].colour, row[0].text) + gap + value + "\n";
  }
  return text;
}

std::string facts(const JobView& job, const Style& style, uint64_t disk_bytes) {
  std::vector<Row> rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) rows.push_back({{name, Colour::dim}, {value}});
  };
  add(job.done ? "end" : "now", escaped(job.sentence));
  for (const std::string& sentence : hang_sentences(job)) {
    if (sentence != job.sentence) add("hangs", escaped(sentence));
  }
  for (const std::string& loss : losses_of(job)) add("lost", escaped(loss));
  for (const std::string& remark : remarks_of(job)) add("note", escaped(remark));
  add("waits for", escaped(job.waits_for));
  add("queue", queue_text(job));
  if (job.progress) add("progress", progress_sentence(*job.progress, job.done));
  add("time", times(job, style));
  add("spent", spent_line(job, style));
  for (const std::string& command : commands_of(job)) add("command", command);
  add("workdir", escaped(job.workdir));
  add("commit", escaped(job.code_commit));
  add("labels", labels_of(job));
  add("id", job.id.text());
  if (disk_bytes > 0) add("disk", humane_size(disk_bytes));
  if (job.done) add("exit", "code " + std::to_string(job.exit_code));
  return unshortened(rows, style);
}

std::string state_of(const JobView& job, const RankView& rank, TimePoint now) {
  const std::string trouble = rank_trouble(rank, now);
  if (!rank.exit) return std::string(to_string(rank.phase)) + (trouble.empty() ? "" : ", " + trouble);
  return escaped(end_of_rank(job, rank));
}

std::string cpus_of(const RankView& rank) {
  std::vector<std::string> numbers;
  for (const uint32_t cpu : rank.cpus) numbers.push_back(std::to_string(cpu));
  return numbers.empty() ? "any" : short_list(numbers, 8);
}

// The first characters of the UUID; CUDA_VISIBLE_DEVICES accepts them too.
std::string gpus_of(const RankView& rank) {
  constexpr size_t enough = 12;
  std::vector<std::string> names;
  for (const std::string& gpu : rank.gpus) names.push_back(gpu.substr(0, enough));
  return or_dash(short_list(names, 4));
}

constexpr size_t pid_column = 2;
constexpr size_t gpu_column = 3;
constexpr size_t group_column = 1;  // of attempts
constexpr size_t began_column = 2;
constexpr size_t wide_enough = 100;
constexpr size_t readable = 24;  // of the last column

// Drops columns that have only dashes, such as PID of a job that has ended.
void drop_dashes(std::vector<Row>& rows) {
  for (const size_t column : {gpu_column, pid_column}) {
    const bool dashes =
        std::all_of(rows.begin() + 1, rows.end(), [&](const Row& row) { return row[column].text == or_dash(""); });
    if (dashes) drop_column(rows, column);
  }
}

// The labels by host, without hosts that have none.
std::map<std::string, std::string> host_labels(const JobView& job) {
  std::map<std::string, std::string> labels;
  if (job.spec_json.find("\"label\"") == std::string::npos) return labels;
  for (const HostSpec& host : parse_job_json(job.spec_json, "the job").spec.hosts) {
    if (!host.label.empty()) labels[host.name] = " (" + host.label + ")";
  }
  return labels;
}

std::string ranks_table(const JobView& job, const Style& style) {
  if (job.ranks.empty()) return "";
  const std::map<std::string, std::string> labels = host_labels(job);
  const bool has_place = job.state != "queued";  // devices are assigned when the job starts
  std::vector<Row> rows{{{"RANK"}, {"HOST"}, {"PID"}, {"GPUS"}, {"CPUS"}, {"STATE"}}};
  for (size_t i = 0; i < std::min(job.ranks.size(), most_rank_lines); ++i) {
    const RankView& rank = job.ranks[i];
    const bool failed = rank.exit && !rank.exit->success() && !stopped_with_others(job, rank);
    const bool bad = failed || !rank_trouble(rank, style.now).empty();
    rows.push_back({{rank.name},
                    {or_dash(rank.host) + (labels.count(rank.host) > 0 ? labels.at(rank.host) : "")},
                    {rank.pid > 0 ? std::to_string(rank.pid) : or_dash("")},
                    {has_place ? gpus_of(rank) : or_dash("")},
                    {has_place ? cpus_of(rank) : or_dash("")},
                    {state_of(job, rank, style.now), bad ? Colour::red : Colour::none}});
  }
  drop_dashes(rows);
  drop_until_fits(rows, {"CPUS", "GPUS", "HOST", "PID"}, style.columns, readable);
  std::string text = "\n" + table(rows, style, 2);
  if (job.ranks.size() > most_rank_lines) {
    text += "  and " + std::to_string(job.ranks.size() - most_rank_lines) + " more ranks: muster describe " +
            asked_as(job, style) + " -o json\n";
  }
  return text;
}

// "19:03:07Z". `muster events` shows the date too.
std::string clock_time(TimePoint time) { return format_utc(time).substr(11, 8) + "Z"; }

// Duration of the attempt; for a live attempt the duration until now.
std::string lasted_of(const JobView& job, const AttemptView& attempt, TimePoint now) {
  AttemptView until_now = attempt;
  const bool lives = !job.done && attempt.ended == TimePoint() && attempt.stopping == TimePoint();
  if (lives) until_now.ended = now;
  return lifetime_of(until_now) + (lives ? " so far" : "");
}

std::string attempts_table(const JobView& job, const Style& style) {
  if (!was_restarted(job)) return "";
  std::vector<Row> rows{{{"ATTEMPT"}, {"GROUP"}, {"BEGAN"}, {"LASTED"}, {"RECOVERED IN"}, {"FIRST FAILURE"}}};
  const size_t first = job.attempts.size() - std::min(job.attempts.size(), most_attempt_lines);
  for (size_t i = first; i < job.attempts.size(); ++i) {
    const AttemptView& attempt = job.attempts[i];
    rows.push_back({{std::to_string(attempt.attempt)},
                    {attempt.group},
                    {clock_time(attempt.placed)},
                    {lasted_of(job, attempt, style.now)},
                    {recovery_after(job, attempt)},
                    {escaped(failure_of(job, attempt))}});
  }
  // Leaves more columns for the failure.
  if (style.columns > 0 && style.columns < wide_enough) drop_column(rows, began_column);
  if (!by_group(job)) drop_column(rows, group_column);
  drop_until_fits(rows, {"RECOVERED IN", "LASTED"}, style.columns, readable);
  return "\n" + table(rows, style, 2);
}

std::string next_steps(const JobView& job, const Style& style) {
  const std::string name = asked_as(job, style);
  if (job.state == "failed") return "\nnext:  muster why " + name + " · muster logs " + name + "\n";
  if (!hang_sentences(job).empty()) return "\nnext:  muster why " + name + " · muster stop " + name + "\n";
  if (job.done) return "\nnext:  muster logs " + name + " · muster events " + name + "\n";
  return "\nnext:  muster attach " + name + " · muster events " + name + " · muster stop " + name + "\n";
}

}  // namespace

std::vector<std::string> commands_of(const JobView& job) {
  std::vector<std::string> commands;
  const JobSpec spec = parse_job_json(job.spec_json, "the job").spec;
  for (const GroupSpec& group : spec.groups) {
    const std::string words = escaped(short_command(group.command));
    if (!words.empty()) commands.push_back(spec.groups.size() > 1 ? escaped(group.name) + ": " + words : words);
  }
  return commands;
}

std::string failure_of(const JobView& job, const AttemptView& attempt) {
  if (!attempt.cause.empty()) return attempt.cause;
  if (!attempt.culprit) return "–";
  const auto rank =
      std::find_if(job.ranks.begin(), job.ranks.end(), [&](const RankView& r) { return r.index == *attempt.culprit; });
  const std::string name = rank == job.ranks.end() ? "rank " + std::to_string(*attempt.culprit) : rank->name;
  return name + " " + describe_exit(attempt.culprit_exit);
}

std::string lifetime_of(const AttemptView& attempt) {
  const TimePoint begin = attempt.running == TimePoint() ? attempt.placed : attempt.running;
  const TimePoint end = end_of(attempt);
  return end == TimePoint() || end < begin ? "–" : humane_duration(end - begin);
}

std::string describe_view(const JobView& job, const Style& style, uint64_t disk_bytes) {
  return headline(job, style) + facts(job, style, disk_bytes) + ranks_table(job, style) + attempts_table(job, style) +
         next_steps(job, style);
}

}  // namespace muster
