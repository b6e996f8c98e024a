// muster fetch: files that a job wrote on its hosts, brought here.
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

// What the host could not read is no reason to leave the rest there.
int report(CommandContext& context, const std::string& host, const std::vector<std::string>& unread) {
  constexpr size_t kMostNamed = 20;
  for (size_t i = 0; i < std::min(unread.size(), kMostNamed); ++i)
    context.screen.err("not brought from " + host + ": " + unread[i] + "\n");
  if (unread.size() > kMostNamed) context.screen.err("and " + std::to_string(unread.size() - kMostNamed) + " more\n");
  return unread.empty() ? exit_ok : exit_job_failed;
}

// Of the rank with the number 0, unless another is named.
Result<std::string> host_of(const JobView& job, const std::optional<std::string>& typed) {
  std::vector<std::string> hosts;
  for (const RankView& rank : job.ranks) {
    if (hosts.empty() || hosts.back() != rank.host) hosts.push_back(rank.host);
  }
  if (hosts.empty()) return Status(Code::failed_precondition, job.name + " has run nowhere yet");
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
                {Code::failed_precondition, job.name + " ran on this machine: its files are in " + spec.workdir});
  const Result<std::string> host = host_of(job, flags.host);
  if (!host.ok()) return fail(context, host.status());
  std::vector<std::string> paths(flags.words.begin() + 1, flags.words.end());
  if (paths.empty()) paths = spec.outputs;
  if (paths.empty())
    return fail(context, {Code::invalid_argument, "fetch what?  muster fetch " + job.name +
                                                      " checkpoints   or outputs: [checkpoints] in the job file"});
  const Result<uint64_t> most = flags.most ? parse_size(*flags.most) : Result<uint64_t>(0);
  if (!most.ok()) return fail(context, most.status().with_context("--most"));
  auto access = host_access(context.caller);
  if (!access.ok()) return fail(context, access.status());
  const std::string target = flags.target.value_or(".");
  const auto fetched = fetch(context.caller, std::move(*access), *host, order_of(job, spec, paths), target,
                             flags.most ? std::optional(*most) : std::nullopt);
  if (!fetched.ok()) return fail(context, fetched.status());
  Acts acts(context, flags.format);
  acts.did(job, "fetched", join(paths, ", ") + " of " + job.name + " from " + *host + " in " + target + "\n");
  (void)acts.finish();
  return report(context, *host, *fetched);
}

}  // namespace

int fetch_main(CommandContext& context, const std::vector<std::string>& arguments) {
  FetchFlags flags;
  CommandLine line("fetch JOB [PATH…] [flags]",
                   "Brings files here that a job wrote on its hosts; from where its ranks ran.",
                   "muster fetch fashion checkpoints results.json --to runs/7\nmuster fetch @last");
  line.value("--to", "FOLDER", flags.target, "where they go; made when missing")
      .value("--host", "HOST", flags.host, "of several; else that of rank 0")
      .value("--most", "SIZE", flags.most, "more is refused; else what is free here, but for a reserve")
      .words(a_job, 1, 1000, flags.words)
      .note("Without PATH: `outputs` of its job file. A relative PATH begins where its ranks began.");
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  auto connection = Connection::open(context, true);
  if (!connection.ok()) return fail(context, connection.status());
  const auto job = (*connection)->client()->describe(flags.words.front());
  return job.ok() ? bring(context, *job, flags) : fail(context, job.status());
}

}  // namespace muster
