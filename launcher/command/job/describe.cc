// SPDX-License-Identifier: Apache-2.0
// muster describe and muster why: the state of one job, and the reason of its failure.
#include <poll.h>

#include <algorithm>

#include "core/client/connect/connect.h"
#include "core/client/view/attempts_view.h"
#include "core/client/view/json.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/job/job_sizes.h"
#include "launcher/composition/wire.h"
#include "launcher/follow/following.h"
#include "launcher/view/describe_view.h"
#include "launcher/view/train_job_view.h"
#include "launcher/view/why_view.h"

namespace muster {
namespace {

// Time for agents to examine their ranks, including the pause after an earlier examination.
constexpr Duration kExamination = std::chrono::seconds(6);
constexpr Duration kPause = std::chrono::milliseconds(100);

bool is_examined(const RankView& rank) {
  return rank.phase != RankPhase::running || (rank.standing && rank.standing->complete);
}

// Waits up to kExamination for the locations of the ranks. Returns the newest view of the job.
JobView examined(JobReadClient& client, JobView job) {
  for (Duration waited{0}; job.state == "running" && waited < kExamination; waited += kPause) {
    auto now = client.describe({job.id.text(), true});
    if (!now.ok()) return job;
    job = std::move(*now);
    if (std::all_of(job.ranks.begin(), job.ranks.end(), is_examined)) break;
    poll(nullptr, 0, static_cast<int>(kPause / std::chrono::milliseconds(1)));
  }
  return job;
}

// A command that hosts its job (torchrun, run --standalone) knows more than the journal: processes and locations of ranks. For a
// queued job the user's controller knows more: the jobs that it waits for.
Result<JobView> described(CommandContext& context, Connection& connection, const std::string& word, bool examine) {
  auto job = connection.client()->describe(word);
  if (!job.ok() || job->done || !job->waits_for.empty()) return job;
  if (!connection.is_near()) return examine ? examined(*connection.client(), std::move(*job)) : job;
  const bool followed = std::any_of(job->ranks.begin(), job->ranks.end(), [](const RankView& r) { return r.pid > 0; });
  if (followed) return examine ? examined(*connection.client(), std::move(*job)) : job;
  const auto host = connect_host_of(context.caller, connection.loop(), job->id.text());
  auto told = host ? host->describe(job->id.text()) : job;
  if (!told.ok()) return job;
  return host && examine ? examined(*host, std::move(*told)) : told;
}

using View = std::string (*)(const CommandContext&, const JobView&);

constexpr const char* kTrainJob = "trainjob";

// A command that shows a job: `describe` or `why`.
struct Shown {
  View view;
  View document;
  bool examine = false;
  bool as_train_job = false;  // also with -o trainjob
};

uint64_t disk_bytes_of(const CommandContext& context, const JobView& job) {
  const auto sizes = job_sizes(context.caller, {job});
  return sizes.empty() ? 0 : sizes.begin()->second;
}

std::string describe_text(const CommandContext& context, const JobView& job) {
  return describe_view(job, context.out_style(), disk_bytes_of(context, job));
}

std::string describe_document(const CommandContext& context, const JobView& job) {
  const std::string document = job_json(job, context.out_style().now);
  const uint64_t bytes = disk_bytes_of(context, job);
  return bytes > 0 ? with_member(document, "disk_bytes", std::to_string(bytes)) : document;
}

std::string why_text(const CommandContext& context, const JobView& job) {
  const AttemptView* failure = last_failure(job);
  return why_view(job, context.out_style(), failure != nullptr && printed_nothing(context.caller, job, *failure));
}

std::string why_document(const CommandContext& context, const JobView& job) {
  return why_json(job, context.out_style());
}

int print_train_job(CommandContext& context, const JobView& job) {
  const auto document = train_job_json(job);
  if (!document.ok()) return fail(context, document.status());
  print_document(context.screen, "yaml", *document);
  return exit_ok;
}

int show(CommandContext& context, CommandLine& line, const std::vector<std::string>& arguments, const Shown& shown) {
  std::vector<std::string> words{last_job};
  std::string format = "text";
  ClusterWords cluster;
  line.words(a_job, 0, 1, words);
  declare_cluster_words(line, cluster);
  declare_format(line, format, shown.as_train_job ? kTrainJob : "",
                 "; trainjob: a job that was read from a TrainJob, as kubectl shows it, with Trainer's status");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const auto connection = Connection::open(context, cluster);
  if (!connection.ok()) return fail(context, connection.status());
  const auto job = described(context, **connection, words.front(), shown.examine);
  if (!job.ok()) return fail(context, job.status());
  if (format == kTrainJob) return print_train_job(context, *job);
  if (is_document(format)) {
    print_document(context.screen, format, shown.document(context, *job));
  } else if (format == "name") {
    context.screen.out(job->name + "\n");
  } else {
    context.screen.out(shown.view(context, *job));
  }
  return exit_ok;
}

}  // namespace

int describe_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("describe [JOB] [flags]",
                   "Shows a job: state, progress, ranks (processes) and attempts (starts of them).", "muster describe");
  return show(context, line, arguments, {describe_text, describe_document, false, true});
}

int why_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("why [JOB] [flags]", "Explains why a job failed or is waiting, or where its ranks are now.",
                   "muster why train-7f2");
  line.note(
      "A rank is one process of the job. For a failure, why also suggests what to try. For a running job, it shows the "
      "functions that the ranks are in; muster reads them from outside, which takes up to 6 s.");
  return show(context, line, arguments, {why_text, why_document, true});
}

}  // namespace muster
