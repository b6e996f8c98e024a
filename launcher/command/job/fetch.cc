// SPDX-License-Identifier: Apache-2.0
// muster fetch: copies files that a job wrote from its hosts to this machine.
#include "backends/ssh/code/fetch.h"
#include "backends/ssh/hosts/host_access.h"
#include "core/base/text.h"
#include "core/job/file/job_yaml.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/job/acts.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

struct FetchFlags {
  std::vector<std::string> words;
  std::optional<std::string> host;
  std::optional<std::string> target;
  std::optional<std::string> most;
  std::string format = "text";
};

// Lists the files that the host could not read; the others have been copied.
int report(CommandContext& context, const std::string& host, const std::vector<std::string>& unread) {
  constexpr size_t kMostNamed = 20;
  for (size_t i = 0; i < std::min(unread.size(), kMostNamed); ++i)
    context.screen.err("not copied from " + host + ": " + unread[i] + "\n");
  if (unread.size() > kMostNamed) context.screen.err("and " + std::to_string(unread.size() - kMostNamed) + " more\n");
  return unread.empty() ? exit_ok : exit_job_failed;
}

// The host that the user named, else that of rank 0.
Result<std::string> host_of(const JobView& job, const std::optional<std::string>& typed) {
  std::vector<std::string> hosts;
  for (const RankView& rank : job.ranks) {
    if (hosts.empty() || hosts.back() != rank.host) hosts.push_back(rank.host);
  }
  if (hosts.empty()) return Status(Code::failed_precondition, job.name + " has not run on a host yet");
  if (!typed) return hosts.front();
  if (std::find(hosts.begin(), hosts.end(), *typed) != hosts.end()) return *typed;
  return Status(Code::not_found, job.name + " ran on " + short_list(hosts, 8) + ", not on " + *typed);
}

FetchOrder order_of(const JobView& job, const JobSpec& spec, std::vector<std::string> paths) {
  return {spec.sync.sync ? job.id.text() : "", spec.workdir, std::move(paths)};
}

int bring(CommandContext& context, const JobView& job, const FetchFlags& flags) {
  const JobSpec spec = parse_job_json(job.spec_json, "the job").spec;
  if (spec.backend == BackendKind::local)
    return fail(context,
                {Code::failed_precondition, job.name + " ran on this machine; its files are in " + spec.workdir});
  const Result<std::string> host = host_of(job, flags.host);
  if (!host.ok()) return fail(context, host.status());
  std::vector<std::string> paths(flags.words.begin() + 1, flags.words.end());
  if (paths.empty()) paths = spec.outputs;
  if (paths.empty())
    return fail(context, {Code::invalid_argument, "name the files to copy: muster fetch " + job.name +
                                                      " checkpoints, or outputs: [checkpoints] in the job file"});
  const Result<uint64_t> most = flags.most ? parse_size(*flags.most) : Result<uint64_t>(0);
  if (!most.ok()) return fail(context, most.status().with_context("--most"));
  auto access = host_access(context.caller);
  if (!access.ok()) return fail(context, access.status());
  const std::string target = flags.target.value_or(".");
  const auto fetched = fetch(context.caller, std::move(*access), *host, order_of(job, spec, paths), target,
                             flags.most ? std::optional(*most) : std::nullopt);
  if (!fetched.ok()) return fail(context, fetched.status());
  Acts acts(context, flags.format);
  acts.did(job, "fetched",
           "copied " + join(paths, ", ") + " of " + job.name + " from " + *host + " to " + target + "\n");
  (void)acts.finish();
  return report(context, *host, *fetched);
}

}  // namespace

int fetch_main(CommandContext& context, const std::vector<std::string>& arguments) {
  FetchFlags flags;
  CommandLine line("fetch JOB [PATH…] [flags]", "Copies files of a job from one of its hosts to this machine.",
                   "muster fetch fashion checkpoints results.json --to runs/7\nmuster fetch @last");
  line.value("--to", "FOLDER", flags.target,
             "the folder on this machine for the files; created if missing (default: .)")
      .value("--host", "HOST", flags.host, "the host to copy from (default: the host of rank 0)")
      .value("--most", "SIZE", flags.most,
             "copy nothing if it is more than this, such as 10GiB (default: the free space here, less a reserve)")
      .words(a_job, 1, 1000, flags.words)
      .note(
          "PATH is a file or folder on the host, relative to the folder in which the job's ranks (processes) started. "
          "The files arrive on this machine in FOLDER/PATH. If you name no PATH, the paths of `outputs` in the job "
          "file are "
          "copied.\n\nExit code 1: some files could not be read on the host; the others were copied.");
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  auto connection = Connection::open(context, true);
  if (!connection.ok()) return fail(context, connection.status());
  const auto job = (*connection)->client()->describe(flags.words.front());
  return job.ok() ? bring(context, *job, flags) : fail(context, job.status());
}

}  // namespace muster
