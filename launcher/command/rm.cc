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

}  // namespace

int rm_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> jobs;
  bool all = false;
  CommandLine line("rm JOB… | rm --all", "Forgets ended jobs: their record and their output.", "muster rm train-7f2");
  line.flag("--all", all, "every job that has ended").words("a job", 0, most_jobs, jobs);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (all == !jobs.empty()) {
    return fail(context, {Code::invalid_argument, all ? "name jobs or say --all, not both"
                                                      : "muster rm wants a job (muster ps -a lists them), or --all"});
  }
  const auto connection = Connection::open(context, true);
  if (!connection.ok()) return fail(context, connection.status());
  ControlClient& client = *(*connection)->client();
  // All words are understood before anything is gone.
  const auto found = all ? ended_jobs(client) : find_jobs(client, jobs);
  return found.ok() ? remove_all(context, client, *found) : fail(context, found.status());
}

}  // namespace muster
