// muster describe and muster why: one job, how it stands and what went wrong with it.
#include <algorithm>

#include "launcher/command/following.h"
#include "launcher/command/job_sizes.h"
#include "launcher/command/output_format.h"
#include "launcher/view/describe_view.h"
#include "launcher/view/json.h"
#include "launcher/view/why_view.h"
#include "launcher/wire/wire.h"

namespace muster {
namespace {

// A command that hosts its job (torchrun, run --standalone) knows more of it than its journal does: processes, where ranks stand. Of one
// that waits the user's controller knows more: for whom, by name.
Result<JobView> described(CommandContext& context, Connection& connection, const std::string& word) {
  auto job = connection.client()->describe(word);
  if (!job.ok() || job->done || !job->waits_for.empty() || !connection.is_near()) return job;
  const bool followed = std::any_of(job->ranks.begin(), job->ranks.end(), [](const RankView& r) { return r.pid > 0; });
  if (followed) return job;
  const auto host = connect_host_of(context.surroundings, connection.loop(), job->id.text());
  auto told = host ? host->describe(job->id.text()) : job;
  return told.ok() ? told : job;
}

using View = std::string (*)(const CommandContext&, const JobView&);

uint64_t disk_bytes_of(const CommandContext& context, const JobView& job) {
  const auto sizes = job_sizes(context.surroundings, {job});
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

std::string why_text(const CommandContext& context, const JobView& job) { return why_view(job, context.out_style()); }

std::string why_document(const CommandContext& context, const JobView& job) {
  return why_json(job, context.out_style());
}

int show(CommandContext& context, CommandLine& line, const std::vector<std::string>& arguments, View view,
         View document) {
  std::vector<std::string> words;
  std::string format = "text";
  ClusterWords cluster;
  line.words(a_job, 1, 1, words);
  declare_cluster_words(line, cluster);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const auto connection = Connection::open(context, cluster);
  if (!connection.ok()) return fail(context, connection.status());
  const auto job = described(context, **connection, words.front());
  if (!job.ok()) return fail(context, job.status());
  if (is_document(format)) {
    print_document(context.screen, format, document(context, *job));
  } else if (format == "name") {
    context.screen.out(job->name + "\n");
  } else {
    context.screen.out(view(context, *job));
  }
  return exit_ok;
}

}  // namespace

int describe_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("describe JOB [flags]", "Shows a job: its state, its ranks, its attempts.", "muster describe @last");
  return show(context, line, arguments, describe_text, describe_document);
}

int why_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("why JOB [flags]", "Says why a job failed, restarted or waits, and what to try.",
                   "muster why train-7f2");
  return show(context, line, arguments, why_text, why_document);
}

}  // namespace muster
