// muster rm: ended jobs leave the store, and their output the disk.
#include <algorithm>

#include "core/base/text.h"
#include "launcher/command/following.h"

namespace muster {
namespace {

constexpr size_t most_jobs = 1000;

// All words are understood before anything is gone: `rm @last @last` means one job.
Result<std::vector<std::string>> ids_of(ControlClient& client, const std::vector<std::string>& words) {
  std::vector<std::string> ids;
  for (const std::string& word : words) {
    const auto job = client.describe(word);
    if (!job.ok()) return job.status();
    const std::string id = job->id.text();
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

int remove_all(CommandContext& context, ControlClient& client, const std::vector<std::string>& jobs) {
  int exit_code = exit_ok;
  size_t removed = 0;
  for (const std::string& job : jobs) {
    const Status status = client.remove(job);
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

Result<std::vector<std::string>> ended_jobs(ControlClient& client) {
  const auto jobs = client.list(true);
  if (!jobs.ok()) return jobs.status();
  std::vector<std::string> ids;
  for (const JobView& job : *jobs) {
    if (job.done) ids.push_back(job.id.text());
  }
  return ids;
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
  const auto ids = all ? ended_jobs(client) : ids_of(client, jobs);
  return ids.ok() ? remove_all(context, client, *ids) : fail(context, ids.status());
}

}  // namespace muster
