// SPDX-License-Identifier: Apache-2.0
// muster attach: follows a job that was submitted earlier.
#include "core/client/view/status_lines.h"
#include "core/job/file/job_yaml.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

// Lines of earlier output of each rank, for context.
constexpr uint64_t lines_before = 10;

std::optional<Rank> tty_rank_of(const JobView& job) { return parse_job_json(job.spec_json, job.name).spec.tty_rank; }

// Ctrl-C detaches without a question.
FollowPlan plan_for(const CommandContext& context, const JobView& job, bool propagate, const std::string& format) {
  FollowPlan plan;
  plan.request.job = job.id.text();
  plan.request.events = true;
  plan.request.output = true;
  plan.request.tail_lines = lines_before;
  plan.rules.mode = InterruptMode::attach;
  plan.rules.propagate = propagate;
  plan.json = is_document(format);
  plan.yaml = format == "yaml";
  plan.text.events_after = context.err_style().now;
  plan.tty_rank = tty_rank_of(job);
  if (!job.ranks.empty())
    plan.text.start_note = "all earlier output: muster logs " + asked_as(job, context.err_style());
  return plan;
}

}  // namespace

int attach_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{last_job};
  bool propagate = false;
  std::string format = "text";
  ClusterWords cluster;
  CommandLine line("attach [JOB] [flags]", "Follows a running job to its end. Ctrl-C detaches; the job continues.",
                   "muster attach train-7f2");
  line.flag("--propagate", propagate, "exit with the code of the first rank (process) that failed")
      .choice("-o,--output", {"text", "json", "yaml"}, format, stream_format_help)
      .words(a_job, 0, 1, words)
      .note("attach prints the last 10 lines of each rank, then new output and events. muster logs prints all output.");
  declare_cluster_words(line, cluster);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  auto connection = Connection::open(context, cluster);
  if (!connection.ok()) return fail(context, connection.status());
  HeldSignals signals((*connection)->loop());
  const auto job = (*connection)->client()->describe(words.front());
  if (!job.ok()) return fail(context, job.status());
  return follow_job(context, **connection, signals, *job, plan_for(context, *job, propagate, format));
}

}  // namespace muster
