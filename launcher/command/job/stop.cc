// SPDX-License-Identifier: Apache-2.0
// muster stop and muster kill. Repeating a command is harmless.
#include "core/base/time.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/job/acts.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

// Uses the id, so that a new job with the same name is not meant.
Status stop_one(CommandContext& context, ControlClient& client, const std::string& word, bool kill, Duration grace,
                Acts& acts) {
  const auto job = client.describe(word);
  if (!job.ok()) return job.status();
  if (const Status stopped = client.stop(job->id.text(), kill ? SIGKILL : SIGTERM, grace); !stopped.ok())
    return stopped;
  const std::string done =
      kill ? "is being killed"
           : "is being stopped; to wait for its end: muster wait " + asked_as(*job, context.err_style());
  acts.did(*job, kill ? "killing" : "stopping", remark(job->name, done, context.err_style()));
  return {};
}

// Handles each job by itself: an unknown name does not prevent the others from being stopped.
int stop_all(CommandContext& context, const std::vector<std::string>& jobs, bool kill, Duration grace,
             const std::string& format, const ClusterWords& cluster) {
  const auto connection = Connection::open(context, cluster);
  if (!connection.ok()) return fail(context, connection.status());
  Acts acts(context, format);
  for (const std::string& word : jobs) {
    const Status stopped = stop_one(context, *(*connection)->client(), word, kill, grace, acts);
    if (!stopped.ok()) acts.failed(word, stopped);
  }
  return acts.finish();
}

constexpr size_t most_jobs_to_stop = 1000;

}  // namespace

int stop_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> jobs;
  std::optional<std::string> grace;
  std::string format = "text";
  ClusterWords cluster;
  CommandLine line("stop JOB… [flags]", "Stops jobs: sends SIGTERM, then SIGKILL after the grace time.",
                   "muster stop train-7f2 --grace 2m");
  line.value("--grace", "TIME", grace, "time from SIGTERM to SIGKILL, such as 2m (default: timeouts.stop of the job)")
      .words(a_job, 1, most_jobs_to_stop, jobs);
  declare_cluster_words(line, cluster);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  Duration time(-1);
  if (grace) {
    const auto parsed = parse_duration(*grace);
    if (!parsed.ok()) return fail(context, parsed.status().with_context("--grace"));
    time = *parsed;
  }
  return stop_all(context, jobs, false, time, format, cluster);
}

int kill_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> jobs;
  std::string format = "text";
  ClusterWords cluster;
  CommandLine line("kill JOB… [flags]",
                   "Kills jobs with SIGKILL at once, so that their processes cannot save anything.",
                   "muster kill train-7f2");
  line.words(a_job, 1, most_jobs_to_stop, jobs);
  declare_cluster_words(line, cluster);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return stop_all(context, jobs, true, Duration(0), format, cluster);
}

}  // namespace muster
