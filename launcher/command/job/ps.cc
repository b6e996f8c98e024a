// SPDX-License-Identifier: Apache-2.0
// muster ps: lists live jobs, and the newest of those that ended in the last hour.
#include <algorithm>

#include "core/client/connect/state_place.h"
#include "core/client/view/json.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/job/job_sizes.h"
#include "launcher/follow/following.h"
#include "launcher/view/jobs_table.h"

namespace muster {
namespace {

bool is_cut(const std::vector<JobView>& jobs, bool all) {
  const auto ended = std::count_if(jobs.begin(), jobs.end(), [](const JobView& job) { return job.done; });
  return !all && static_cast<size_t>(ended) >= kMostEndedListed;
}

// Whether not even an ended job is left.
bool keeps_none(Connection& connection) {
  const auto jobs = connection.client()->list({.all = true});
  return jobs.ok() && jobs->empty();
}

// The newest job first, in every format.
void print(CommandContext& context, std::vector<JobView> jobs, const std::string& format, bool all) {
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const JobView& a, const JobView& b) { return a.submitted > b.submitted; });
  const bool cut = is_cut(jobs, all);
  if (is_document(format))
    return print_document(context.screen, format, jobs_json(jobs, context.out_style().now, {.all = all, .more = cut}));
  if (format == "name") {
    for (const JobView& job : jobs) context.screen.out(job.name + "\n");
    return;
  }
  if (jobs.empty())
    context.screen.err(all ? "no jobs; to start one: muster run -- PROGRAM\n"
                           : "no jobs now; to list all ended jobs: muster ps -a\n");
  const bool wide = format == "wide";
  const auto sizes = wide ? job_sizes(context.caller, jobs) : std::map<JobId, uint64_t>();
  context.screen.out(jobs_table(jobs, context.out_style(), wide, sizes));
  if (cut) context.screen.err("for older jobs: muster ps -a\n");
}

// Only waiting agents; an agent that has a job is shown with its job.
int print_agents(CommandContext& context, ControllerClient* controller, const std::string& format) {
  if (controller == nullptr) return fail(context, needs_controller("listing idle agents"));
  const auto info = controller->info();
  if (!info.ok()) return fail(context, info.status());
  const std::vector<IdleAgent>& agents = info->idle_agents;
  if (is_document(format)) {
    print_document(context.screen, format, idle_agents_json(agents));
    return exit_ok;
  }
  if (format == "name") {
    for (const IdleAgent& agent : agents) context.screen.out(std::to_string(agent.pid) + "\n");
    return exit_ok;
  }
  if (agents.empty()) context.screen.err("no agent is waiting for a job\n");
  context.screen.out(idle_agents_table(agents, context.out_style()));
  if (!agents.empty()) context.screen.err("they exit by themselves later; to end them now: muster rm --idle\n");
  return exit_ok;
}

}  // namespace

int ps_main(CommandContext& context, const std::vector<std::string>& arguments) {
  bool all = false;
  bool agents = false;
  std::string format = "text";
  ClusterWords cluster;
  std::vector<std::string> none;
  CommandLine line("ps [flags]", "Lists live jobs, and the newest of those that ended in the last hour.",
                   "muster ps -a -o json");
  line.flag("-a,--all", all, "list all jobs that have not been deleted")
      .flag("--agents", agents, "list agents that wait for the next job, with their warm imports, instead of jobs")
      .words("no job", 0, 0, none)
      .note("An agent is muster's process on a node that starts the ranks (processes) of a job.");
  declare_cluster_words(line, cluster);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const auto connection = Connection::open(context, cluster);
  if (!connection.ok()) return fail(context, connection.status());
  if (agents) return print_agents(context, (*connection)->controller().get(), format);
  const auto jobs = (*connection)->client()->list({.all = all});
  if (!jobs.ok()) return fail(context, jobs.status());
  print(context, *jobs, format, all || (jobs->empty() && keeps_none(**connection)));
  if (format == "text" || format == "wide") {
    if (const auto far = means_cluster(cluster, context.caller); far.ok() && !*far)
      context.screen.err(state_remark(context.caller));
    if (const auto controller = (*connection)->controller()) {
      if (const auto info = controller->info(); info.ok()) context.screen.err(idle_agents_note(info->idle_agents));
    }
  }
  return exit_ok;
}

}  // namespace muster
