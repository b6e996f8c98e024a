// SPDX-License-Identifier: Apache-2.0
// muster logs: prints the retained output of ranks.
#include <algorithm>

#include "core/base/text.h"
#include "core/client/connect/state_place.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/exec/rank_choice.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

constexpr const char* kTail = "-n,--tail";

struct LogFlags {
  std::vector<std::string> words{last_job};
  bool follow = false;
  bool no_prefix = false;
  bool timestamps = false;
  std::optional<std::string> tail;
  std::optional<std::string> rank;
  std::optional<std::string> attempt;
  std::optional<std::string> since;
  std::string stream = "both";
  std::string format = "text";
  ClusterWords cluster;
  std::vector<std::string> typed;
};

void declare(CommandLine& line, LogFlags& flags) {
  line.flag("-f,--follow", flags.follow, "wait for new output until the job ends")
      .value(kTail, "N", flags.tail, "only the last N lines of each stream of each rank (default: all)")
      .value("--rank", "R,…", flags.rank, "only these ranks: 0,2 or 4-7, or trainer/3 for a group (default: all)")
      .value("--attempt", "N|all", flags.attempt,
             "only this attempt, a start of the ranks, counted from 1 (default: the newest)")
      .value("--since", "TIME", flags.since, "only output of the last TIME, such as 5m (default: all)")
      .choice("--stream", {"out", "err", "both"}, flags.stream,
              "stdout, stderr or both (default: both); output of setup counts as err")
      .flag("--no-prefix", flags.no_prefix, "do not print the rank in front of each line")
      .flag("--timestamps", flags.timestamps, "print the time (UTC) of each line before it")
      .choice("-o,--output", {"text", "json", "yaml"}, flags.format, stream_format_help)
      .words(a_job, 0, 1, flags.words);
  declare_cluster_words(line, flags.cluster);
}

Status read_attempt(const LogFlags& flags, const JobView& job, FollowRequest& request) {
  if (flags.attempt == "all") return {};
  if (!flags.attempt) {
    if (job.attempt > 0) request.first_attempt = job.attempt;
    if (!flags.follow && job.attempt > 0) request.attempt = job.attempt;
    return {};
  }
  const auto number = parse_number("--attempt", *flags.attempt, 1);
  if (!number.ok()) return number.status();
  if (*number > job.attempt) {
    return {Code::not_found,
            job.name + " has no attempt " + *flags.attempt + "; its newest attempt is " + std::to_string(job.attempt)};
  }
  request.attempt = static_cast<Attempt>(*number);
  return {};
}

Result<FollowRequest> request_for(const LogFlags& flags, const JobView& job, TimePoint now) {
  FollowRequest request;
  request.job = job.id.text();
  request.output = true;
  request.follow = flags.follow;
  request.times = flags.timestamps;
  // The ranks of a queued job are known only when it starts; views tell them.
  request.events = flags.follow && job.ranks.empty();
  if (const Status read = read_attempt(flags, job, request); !read.ok()) return read;
  if (flags.tail) {
    const auto lines = parse_number(name_as_typed(kTail, flags.typed), *flags.tail);
    if (!lines.ok()) return lines.status();
    request.tail_lines = *lines;
  }
  if (flags.rank) {
    auto indices = chosen_ranks(job, *flags.rank);
    if (!indices.ok()) return indices.status();
    request.ranks = std::move(*indices);
  }
  if (flags.since) {
    const auto age = parse_duration(*flags.since);
    if (!age.ok()) return age.status().with_context("--since");
    request.since = now - *age;
  }
  return request;
}

// Keeps only the chosen ranks. With a single rank, lines get no prefix, so that they can be saved unchanged.
JobView only_ranks(JobView job, const std::vector<uint32_t>& indices) {
  if (indices.empty()) return job;
  std::erase_if(job.ranks, [&](const RankView& rank) {
    return std::find(indices.begin(), indices.end(), rank.index) == indices.end();
  });
  return job;
}

}  // namespace

int logs_main(CommandContext& context, const std::vector<std::string>& arguments) {
  LogFlags flags;
  CommandLine line("logs [JOB] [flags]", "Prints the output of the ranks (processes) of a job.",
                   "muster logs train-7f2 --rank 1 -n 40\nmuster logs -f");
  declare(line, flags);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  flags.typed = line.flags_of(arguments);
  auto connection = Connection::open(context, flags.cluster);
  if (!connection.ok()) return fail(context, connection.status());
  HeldSignals signals((*connection)->loop());
  const auto job = (*connection)->client()->describe(flags.words.front());
  if (job.status().code() == Code::not_found) context.screen.err(state_remark(context.caller));
  if (!job.ok()) return fail(context, job.status());
  const auto request = request_for(flags, *job, context.out_style().now);
  if (!request.ok()) return fail(context, request.status());
  FollowPlan plan{.request = *request,
                  .rules = {.mode = InterruptMode::look, .exit_as_job = false},
                  .json = is_document(flags.format),
                  .json_job = false,
                  .yaml = flags.format == "yaml"};
  plan.text.events = false;
  if (!job->waits_for.empty() && job->state == "queued")
    context.screen.err(remark(job->name, "is queued: waits for " + escaped(job->waits_for), context.err_style()));
  plan.text.output = {.prefix = !flags.no_prefix,
                      .out = flags.stream != "err",
                      .err = flags.stream != "out",
                      .all_to_stdout = true,
                      .times = flags.timestamps};
  return follow_job(context, **connection, signals, only_ranks(*job, request->ranks), plan);
}

}  // namespace muster
