// muster attach: along with a job that somebody, perhaps we, submitted earlier.
#include "core/job/file/job_yaml.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

// From now on: a viewer that arrives wants a screen of what was, not all of it.
constexpr uint64_t lines_before = 10;

std::optional<Rank> tty_rank_of(const JobView& job) { return parse_job_json(job.spec_json, job.name).spec.tty_rank; }

// Ctrl-C only leaves, so there is nothing to ask.
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
  return plan;
}

}  // namespace

int attach_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{last_job};
  bool propagate = false;
  std::string format = "text";
  ClusterWords cluster;
  CommandLine line("attach [JOB] [flags]",
                   "Follows a job to its end: the last lines, then what comes. Ctrl-C leaves, the job goes on.",
                   "muster attach train-7f2");
  line.flag("--propagate", propagate, "exit with the code of the first rank that failed")
      .choice("-o,--output", {"text", "json", "yaml"}, format, "json: one object a line; yaml: a document each")
      .words(a_job, 0, 1, words);
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
