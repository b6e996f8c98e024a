// muster rm: ended jobs leave the store, and their output the disk.
#include <set>

#include "core/base/text.h"
#include "launcher/command/following.h"

namespace muster {
namespace {

constexpr size_t most_jobs = 1000;

// `rm @last @last` means one job.
int remove_all(CommandContext& context, ControlClient& client, const std::vector<JobView>& jobs) {
  int exit_code = exit_ok;
  std::set<JobId> seen;
  size_t removed = 0;
  for (const JobView& job : jobs) {
    if (!seen.insert(job.id).second) continue;
    const Status status = client.remove(job.id.text());
    if (status.ok()) {
      ++removed;
    } else {
      const int code = fail(context, status);
      exit_code = exit_code == exit_ok ? code : exit_code;
    }
  }
  if (removed > 0) context.screen.err("forgot " + count_of(removed, "job") + "\n");
  return exit_code;
}

Result<std::vector<JobView>> ended_jobs(ControlClient& client) {
  auto jobs = client.list(true);
  if (jobs.ok()) std::erase_if(*jobs, [](const JobView& job) { return !job.done; });
  return jobs;
}

std::string contradiction(const std::vector<std::string>& jobs, bool all, bool idle) {
  const int said = (all ? 1 : 0) + (idle ? 1 : 0) + (jobs.empty() ? 0 : 1);
  if (said > 1) return "name jobs, or say --all, or --idle: one of them";
  return said == 1 ? "" : "muster rm wants a job (muster ps -a lists them), --all or --idle";
}

int end_idle(CommandContext& context, ControlClient& client) {
  const auto ended = client.end_idle_agents();
  if (!ended.ok()) return fail(context, ended.status());
  context.screen.err(*ended > 0 ? "sent " + count_of(*ended, "agent") + " away\n" : "no agent waits for a job\n");
  return exit_ok;
}

}  // namespace

int rm_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> jobs;
  bool all = false;
  bool idle = false;
  CommandLine line("rm JOB… | rm --all | rm --idle", "Forgets ended jobs: their record and their output.",
                   "muster rm train-7f2");
  line.flag("--all", all, "every job that has ended")
      .flag("--idle", idle, "ends agents that wait for a job with something warm (ps --agents)")
      .words("a job", 0, most_jobs, jobs);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (const std::string wrong = contradiction(jobs, all, idle); !wrong.empty())
    return fail(context, {Code::invalid_argument, wrong});
  const auto connection = Connection::open(context, true);
  if (!connection.ok()) return fail(context, connection.status());
  ControlClient& client = *(*connection)->client();
  if (idle) return end_idle(context, client);
  // All words are understood before anything is gone.
  const auto found = all ? ended_jobs(client) : find_jobs(client, jobs);
  return found.ok() ? remove_all(context, client, *found) : fail(context, found.status());
}

}  // namespace muster
