// SPDX-License-Identifier: Apache-2.0
// muster rm: deletes ended jobs and their output.
#include <set>

#include "core/base/text.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/job/acts.h"
#include "launcher/command/job/job_sizes.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

constexpr size_t most_jobs_to_remove = 1000;

// Skips jobs that are named twice, as in `rm @last @last`.
int remove_all(CommandContext& context, JobActionClient& client, const std::vector<JobView>& jobs,
               const std::string& format) {
  Acts acts(context, format);
  std::set<JobId> seen;
  size_t removed = 0;
  uint64_t freed = 0;
  const std::map<JobId, uint64_t> sizes = job_sizes(context.caller, jobs);
  for (const JobView& job : jobs) {
    if (!seen.insert(job.id).second) continue;
    const Status status = client.remove(job.id.text());
    if (!status.ok()) {
      acts.failed(job.name, status);
      continue;
    }
    ++removed;
    if (const auto size = sizes.find(job.id); size != sizes.end()) freed += size->second;
    acts.did(job, "removed", "");
  }
  if (removed > 0 && !is_document(format) && format != "name")
    context.screen.err("deleted " + count_of(removed, "job") + (freed > 0 ? ", " + humane_size(freed) : "") + "\n");
  return acts.finish();
}

Result<std::vector<JobView>> ended_jobs(JobReadClient& client) {
  auto jobs = client.list({.all = true});
  if (jobs.ok()) std::erase_if(*jobs, [](const JobView& job) { return !job.done; });
  return jobs;
}

struct RmFlags {
  std::vector<std::string> jobs;
  bool all = false;
  bool idle = false;
  std::optional<std::string> older;
  std::optional<std::string> over;
  bool look_only = false;
  std::string format = "text";
  ClusterWords cluster;

  bool prunes() const { return older || over; }
};

std::string contradiction(const RmFlags& flags) {
  const int said = (flags.all ? 1 : 0) + (flags.idle ? 1 : 0) + (flags.prunes() ? 1 : 0) + (flags.jobs.empty() ? 0 : 1);
  if (said > 1) return "choose one: names of jobs; --older and --over; --all; or --idle";
  if (flags.look_only && !flags.prunes() && !flags.all) return "--dry-run needs --older, --over or --all";
  return said == 1 ? "" : "muster rm needs a job (muster ps -a lists them), --older, --over, --all or --idle";
}

int end_idle(CommandContext& context, ControllerClient* controller) {
  if (controller == nullptr) return fail(context, needs_controller("ending idle agents"));
  const auto ended = controller->end_idle_agents();
  if (!ended.ok()) return fail(context, ended.status());
  context.screen.err(*ended > 0 ? "ended " + count_of(*ended, "agent") + "\n" : "no agent is waiting for a job\n");
  return exit_ok;
}

Result<PruneRequest> prune_request(const RmFlags& flags) {
  PruneRequest request;
  request.look_only = flags.look_only;
  if (flags.older) {
    const Result<Duration> age = parse_duration(*flags.older);
    if (!age.ok()) return age.status().with_context("--older");
    request.older = *age;
  }
  if (flags.all) request.older = Duration(0);
  if (flags.over) {
    const Result<uint64_t> bytes = parse_size(*flags.over);
    if (!bytes.ok()) return bytes.status().with_context("--over");
    request.bytes = *bytes;
  }
  return request;
}

int prune(CommandContext& context, ControllerClient* controller, const PruneRequest& request,
          const std::string& format) {
  if (controller == nullptr)
    return fail(context, needs_controller("removing jobs by age and size (kubernetes.ttl sets how long an ended job is "
                                          "kept)"));
  const auto pruned = controller->prune(request);
  if (!pruned.ok()) return fail(context, pruned.status());
  Acts acts(context, format);
  for (const std::string& name : pruned->names) {
    JobView job;
    job.name = name;
    acts.did(job, request.look_only ? "would be removed" : "removed", request.look_only ? name + "\n" : "");
  }
  if (is_document(format) || format == "name") return acts.finish();
  const std::string left = humane_size(pruned->left_bytes) + " kept";
  if (pruned->names.empty()) {
    const bool all = request.older == Duration(0);
    context.screen.err((all ? "no job has ended (" : "no ended job is older, or exceeds the size (") + left + ")\n");
    return exit_ok;
  }
  const std::string jobs = count_of(pruned->names.size(), "job") + ", " + humane_size(pruned->bytes);
  context.screen.err((request.look_only ? "would delete " : "deleted ") + jobs + " (" + left + ")\n");
  return exit_ok;
}

}  // namespace

int rm_main(CommandContext& context, const std::vector<std::string>& arguments) {
  RmFlags flags;
  CommandLine line("rm JOB… | rm --older AGE | rm --over SIZE | rm --all | rm --idle",
                   "Deletes ended jobs: their records and their output.", "muster rm --older 30d --over 5GiB");
  line.value("--older", "AGE", flags.older, "jobs that ended longer ago than this, such as 30d or 12h")
      .value("--over", "SIZE", flags.over,
             "the oldest jobs, until the others take no more than this on disk, such as 5GiB")
      .flag("--all", flags.all, "all jobs that have ended")
      .flag("--dry-run", flags.look_only, "with --older, --over or --all: list the jobs and delete nothing")
      .flag("--idle", flags.idle, "end agents that wait for the next job (muster ps --agents lists them)")
      .words("a job", 0, most_jobs_to_remove, flags.jobs)
      .note(
          "With --older and --over, rm deletes jobs that meet either condition. The controller also deletes old jobs "
          "by "
          "itself: see MUSTER_KEEP_SIZE in muster serve --help. An agent is muster's process on a node that starts the "
          "processes of a job.");
  declare_cluster_words(line, flags.cluster);
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (const std::string wrong = contradiction(flags); !wrong.empty())
    return fail(context, {Code::invalid_argument, wrong});
  const Result<PruneRequest> request = prune_request(flags);
  if (!request.ok()) return fail(context, request.status());
  const auto connection = Connection::open(context, flags.cluster);
  if (!connection.ok()) return fail(context, connection.status());
  JobClient& client = *(*connection)->client();
  ControllerClient* const controller = (*connection)->controller().get();
  if (flags.idle) return end_idle(context, controller);
  if (flags.prunes() || flags.look_only) return prune(context, controller, *request, flags.format);
  // All names are resolved before anything is deleted.
  const auto found = flags.all ? ended_jobs(client) : find_jobs(client, flags.jobs);
  return found.ok() ? remove_all(context, client, *found, flags.format) : fail(context, found.status());
}

}  // namespace muster
