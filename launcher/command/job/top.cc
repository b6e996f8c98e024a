// SPDX-License-Identifier: Apache-2.0
// muster top: shows jobs live.
#include <algorithm>

#include "core/base/text.h"
#include "core/client/view/json.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/top/top_session.h"
#include "launcher/top/top_view.h"

namespace muster {
namespace {

constexpr Duration kLeastInterval = std::chrono::milliseconds(100);
// The longest wait for the first measurement; an agent needs two samples.
constexpr Duration kMeasurePatience = std::chrono::seconds(4);
constexpr Duration kMeasurePoll = std::chrono::milliseconds(200);

constexpr const char* kCount = "-n,--count";
constexpr const char* kInterval = "-d,--interval";

struct TopFlags {
  std::optional<std::string> count;
  std::optional<std::string> interval;
  bool once = false;
  bool batch = false;
  std::string format = "text";
  ClusterWords cluster;
  std::vector<std::string> none;
  std::vector<std::string> typed;
};

Result<TopChoice> choice_of(const TopFlags& flags) {
  TopChoice choice;
  if (flags.interval) {
    const auto interval = parse_duration(*flags.interval);
    if (!interval.ok()) return interval.status().with_context(name_as_typed(kInterval, flags.typed));
    choice.interval = std::max(*interval, kLeastInterval);
  }
  if (flags.count) {
    const auto count = parse_number(name_as_typed(kCount, flags.typed), *flags.count, 1);
    if (!count.ok()) return count.status();
    choice.count = *count;
  }
  if (flags.once) choice.count = 1;
  return choice;
}

bool measured(const std::vector<JobView>& jobs) {
  return std::all_of(jobs.begin(), jobs.end(), [](const JobView& job) {
    return std::all_of(job.ranks.begin(), job.ranks.end(),
                       [](const RankView& rank) { return rank.phase != RankPhase::running || rank.use; });
  });
}

void wait(AsioLoop& loop, TimePoint until, const bool& over) {
  bool due = false;
  loop.at(until, [&] { due = true; });
  while (!due && !over && loop.run_one()) {
  }
}

void print(CommandContext& context, std::vector<JobView> jobs, const std::string& format) {
  if (is_document(format)) return print_document(context.screen, format, jobs_json(jobs, context.out_style().now));
  if (format == "name") {
    for (const JobView& job : jobs) context.screen.out(job.name + "\n");
    return;
  }
  TopState state;
  take_jobs(state, std::move(jobs));
  if (state.jobs.empty()) context.screen.err("no jobs; to start one: muster run -- PROGRAM\n");
  context.screen.out(top_table(state, context.out_style()));
}

// Prints tables, for a pipe or a program.
int print_tables(CommandContext& context, Connection& connection, HeldSignals& signals, const TopChoice& choice,
                 const std::string& format) {
  AsioLoop& loop = connection.loop();
  bool over = false;
  int code = exit_ok;
  signals.deliver_to([&](int number) {
    over = true;
    code = 128 + number;
  });
  const uint64_t updates = choice.count.value_or(1);
  for (uint64_t update = 0; update < updates && !over && !context.screen.failed(); ++update) {
    if (update > 0) wait(loop, loop.now() + choice.interval, over);
    const TimePoint patience = loop.now() + kMeasurePatience;
    auto jobs = connection.client()->list({.measure = true});
    while (jobs.ok() && !measured(*jobs) && !over && loop.now() < patience) {
      wait(loop, loop.now() + kMeasurePoll, over);
      jobs = connection.client()->list({.measure = true});
    }
    if (!jobs.ok()) return fail(context, jobs.status());
    if (!over) print(context, std::move(*jobs), format);
  }
  signals.deliver_to(nullptr);
  return code;
}

}  // namespace

int top_main(CommandContext& context, const std::vector<std::string>& arguments) {
  TopFlags flags;
  CommandLine line("top [flags]", "Shows jobs live, with the CPU and memory that their ranks (processes) use.",
                   "muster top\nmuster top --once -o json");
  line.value(kCount, "N", flags.count, "exit after N updates (default: no limit; without a terminal: 1)")
      .value(kInterval, "TIME", flags.interval, "time between two updates (default: 1s; at least 100ms)")
      .flag("--once", flags.once, "print the table once and exit; the same as --count 1 --batch")
      .flag("-b,--batch", flags.batch,
            "print tables instead of the full screen (default: only if stdin or stdout is not a terminal)")
      .words("no job", 0, 0, flags.none)
      .note("In the full screen, press ? to see its keys.");
  declare_cluster_words(line, flags.cluster);
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  flags.typed = line.flags_of(arguments);
  const auto choice = choice_of(flags);
  if (!choice.ok()) return fail(context, choice.status());
  auto connection = Connection::open(context, flags.cluster);
  if (!connection.ok()) return fail(context, connection.status());
  HeldSignals signals((*connection)->loop());
  const bool on_screen = context.caller.stdin_tty && context.caller.stdout_tty;
  if (!on_screen || flags.once || flags.batch || flags.format != "text")
    return print_tables(context, **connection, signals, *choice, flags.format);
  TopSession session(context, **connection, *choice);
  return session.run(signals, [&] { return (*connection)->another(); });
}

}  // namespace muster
