// SPDX-License-Identifier: Apache-2.0
// muster stop and muster kill. Repeating a command is harmless.
#include "core/base/time.h"
#include "core/client/connect/connect.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/job/acts.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

// The pid of the command on this machine that hosts the job (torchrun, run --standalone). 0: there is none.
int64_t pid_of_host(CommandContext& context, Connection& connection, const std::string& job) {
  const auto host = connection.is_near() ? connect_host_of(context.caller, connection.loop(), job) : nullptr;
  const auto info = host ? host->info() : Result<ControllerInfo>(Status(Code::not_found, ""));
  return info.ok() ? info->pid : 0;
}

// Uses the id, so that a new job with the same name is not meant.
Status stop_one(CommandContext& context, Connection& connection, const std::string& word, bool kill, Duration grace,
                Acts& acts) {
  JobClient& client = *connection.client();
  const auto job = client.describe(word);
  if (!job.ok()) return job.status();
  if (const Status stopped = client.stop(job->id.text(), kill ? SIGKILL : SIGTERM, grace); !stopped.ok()) {
    const bool refused = stopped.code() == Code::failed_precondition;
    const int64_t pid = job->done || !refused ? 0 : pid_of_host(context, connection, job->id.text());
    if (pid <= 0) return stopped;
    return {stopped.code(), stopped.message() + ": kill -TERM " + std::to_string(pid)};
  }
  const std::string done =
      kill ? "is being killed"
           : "is being stopped; to wait for its end: muster wait " + asked_as(*job, context.err_style());
  acts.did(*job, kill ? "killing" : "stopping", remark(job->name, done, context.err_style()));
  return {};
}

struct StopFlags {
  std::vector<std::string> jobs;
  bool all = false;
  std::string format = "text";
  ClusterWords cluster;
};

// All jobs that have not ended, by their ids.
Result<std::vector<std::string>> live_jobs(JobReadClient& client) {
  const auto jobs = client.list({});
  if (!jobs.ok()) return jobs.status();
  std::vector<std::string> ids;
  for (const JobView& job : *jobs) {
    if (!job.done) ids.push_back(job.id.text());
  }
  return ids;
}

// Handles each job by itself: an unknown name does not prevent the others from being stopped.
int stop_all(CommandContext& context, const StopFlags& flags, bool kill, Duration grace) {
  if (flags.all && !flags.jobs.empty())
    return fail(context, {Code::invalid_argument, "choose one: names of jobs, or --all"});
  const auto connection = Connection::open(context, flags.cluster);
  if (!connection.ok()) return fail(context, connection.status());
  if (flags.all && !(*connection)->is_near())
    return fail(
        context,
        {Code::invalid_argument,
         "--all is for jobs on this machine; in a cluster it would stop those of others too, so name the jobs"});
  const auto jobs = flags.all ? live_jobs(*(*connection)->client()) : Result<std::vector<std::string>>(flags.jobs);
  if (!jobs.ok()) return fail(context, jobs.status());
  Acts acts(context, flags.format);
  for (const std::string& word : *jobs) {
    const Status stopped = stop_one(context, **connection, word, kill, grace, acts);
    // A job of `muster torchrun` or `run --standalone` in another terminal ends with that command.
    const bool elsewhere = flags.all && stopped.code() == Code::failed_precondition;
    if (elsewhere) context.screen.err(word + " was not stopped: " + stopped.message() + "\n");
    if (!stopped.ok() && !elsewhere) acts.failed(word, stopped);
  }
  if (jobs->empty() && !is_document(flags.format)) context.screen.err("no job is running or queued\n");
  return acts.finish();
}

constexpr size_t most_jobs_to_stop = 1000;

void declare(CommandLine& line, StopFlags& flags) {
  line.words(a_job, 1, most_jobs_to_stop, flags.jobs)
      .or_flag(flags.all)
      .flag("--all", flags.all, "all jobs that are running or queued");
  declare_cluster_words(line, flags.cluster);
  declare_format(line, flags.format);
}

}  // namespace

int stop_main(CommandContext& context, const std::vector<std::string>& arguments) {
  StopFlags flags;
  std::optional<std::string> grace;
  CommandLine line("stop JOB… | --all [flags]", "Stops jobs: sends SIGTERM, then SIGKILL after the grace time.",
                   "muster stop train-7f2 --grace 2m\nmuster stop --all");
  line.value("--grace", "TIME", grace, "time from SIGTERM to SIGKILL, such as 2m (default: timeouts.stop of the job)");
  declare(line, flags);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  Duration time(-1);
  if (grace) {
    const auto parsed = parse_duration(*grace);
    if (!parsed.ok()) return fail(context, parsed.status().with_context("--grace"));
    time = *parsed;
  }
  return stop_all(context, flags, false, time);
}

int kill_main(CommandContext& context, const std::vector<std::string>& arguments) {
  StopFlags flags;
  CommandLine line("kill JOB… | --all [flags]",
                   "Kills jobs with SIGKILL at once, so that their processes cannot save anything.",
                   "muster kill train-7f2");
  declare(line, flags);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return stop_all(context, flags, true, Duration(0));
}

}  // namespace muster
