// muster stop and muster kill: levels, so that saying it twice is harmless.
#include "core/base/time.h"
#include "launcher/command/following.h"
#include "launcher/view/status_lines.h"

namespace muster {
namespace {

// By its id, so that what is said is of the job that was stopped, whatever comes between.
Status stop_one(CommandContext& context, ControlClient& client, const std::string& word, bool kill, Duration grace) {
  const auto job = client.describe(word);
  if (!job.ok()) return job.status();
  if (const Status stopped = client.stop(job->id.text(), kill ? SIGKILL : SIGTERM, grace); !stopped.ok())
    return stopped;
  context.screen.err(
      remark(job->name, kill ? "is being killed" : "is being stopped.  muster wait " + job->name, context.err_style()));
  return {};
}

// Each job by itself: one that is unknown does not keep the others alive. The first failure is the exit code.
int stop_all(CommandContext& context, const std::vector<std::string>& jobs, bool kill, Duration grace) {
  const auto connection = Connection::open(context, true);
  if (!connection.ok()) return fail(context, connection.status());
  int exit_code = exit_ok;
  for (const std::string& word : jobs) {
    const Status stopped = stop_one(context, *(*connection)->client(), word, kill, grace);
    if (stopped.ok()) continue;
    const int code = fail(context, stopped);
    exit_code = exit_code == exit_ok ? code : exit_code;
  }
  return exit_code;
}

constexpr size_t most_jobs = 1000;

}  // namespace

int stop_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> jobs;
  std::optional<std::string> grace;
  CommandLine line("stop JOB… [flags]", "Stops jobs: SIGTERM, time to save, then SIGKILL.",
                   "muster stop train-7f2 --grace 2m");
  line.value("--grace", "TIME", grace, "from SIGTERM to SIGKILL (default: the job's timeouts.stop)")
      .words(a_job, 1, most_jobs, jobs);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  Duration time(-1);
  if (grace) {
    const auto parsed = parse_duration(*grace);
    if (!parsed.ok()) return fail(context, parsed.status().with_context("--grace"));
    time = *parsed;
  }
  return stop_all(context, jobs, false, time);
}

int kill_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> jobs;
  CommandLine line("kill JOB…", "Kills jobs: SIGKILL at once, nothing is saved.", "muster kill train-7f2");
  line.words(a_job, 1, most_jobs, jobs);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return stop_all(context, jobs, true, Duration(0));
}

}  // namespace muster
