// SPDX-License-Identifier: Apache-2.0
// muster render and muster validate: show the plan of a job, and check job files. They start nothing.
#include "core/client/submission/job_draft.h"
#include "core/client/submission/job_source.h"
#include "core/client/view/document.h"
#include "core/job/diagnostic.h"
#include "core/job/json_text.h"
#include "launcher/cli/cluster_runtimes.h"
#include "launcher/cli/command.h"
#include "launcher/cli/draft_report.h"
#include "launcher/cli/job_flag_lines.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/file/plan_output.h"
#include "launcher/command/file/render_cluster.h"
#include "launcher/command/file/render_torchrun.h"
#include "launcher/composition/draft_backends.h"

namespace muster {
namespace {

constexpr size_t most_files = 1000;

void declare_runtimes_of(CommandLine& line, JobFlags& flags, std::optional<std::string>& kubectl_context) {
  declare_cluster_runtimes(line, flags);
  line.value("--context", "NAME", kubectl_context,
             "with --cluster-runtimes: the cluster, a context of your kubectl (default: its current context)");
}

// Checks all files, even if the first one has errors.
int validate_files(CommandContext& context, const std::vector<std::string>& files, const JobFlags& flags,
                   const RuntimeLookup& runtimes, const std::string& format) {
  int exit_code = exit_ok;
  std::string documents;
  for (const std::string& file : files) {
    const JobWords words{.flags = flags, .files = {file}, .runtimes = runtimes};
    auto draft = draft_job(words, context.caller, draft_backends());
    if (!draft.ok()) {
      fail(context, draft.status());
      exit_code = exit_usage;
      continue;
    }
    check_programs(*draft, context.caller);
    const bool valid = !has_errors(draft->diagnostics);
    if (!valid && exit_code != exit_usage) exit_code = exit_code_of(*draft);
    documents += (documents.empty() ? "" : ",") + draft_json(*draft);
    if (is_document(format)) continue;
    if (format == "name" && valid) context.screen.out(file + "\n");
    context.screen.err(draft_text(context, *draft, false) + (valid && format != "name" ? file + " is valid\n" : ""));
    const std::string note = cluster_runtimes_note(flags, *draft);
    if (!note.empty() && valid) context.screen.err(file + ": " + note + "\n");
  }
  if (is_document(format)) {
    const std::string schema = "{\"schema\":" + json_quoted(schema_of("files"));
    print_document(context.screen, format, schema + ",\"files\":[" + documents + "]}");
  }
  return exit_code;
}

}  // namespace

int render_main(CommandContext& context, const std::vector<std::string>& arguments) {
  if (const auto torchrun = torchrun_words(arguments)) return render_torchrun(context, *torchrun);
  JobWords words;
  std::string format = "text";
  bool secret = false;
  CommandLine line("render [FILE] [flags] [-- PROGRAM ARGUMENTS…]", "Shows the plan of a job and starts nothing.",
                   "muster render job.yaml --workers 4 -o json\nmuster render torchrun --nproc-per-node 4 train.py");
  line.note(
      "The plan has the nodes, the ranks (processes), their devices and their environment. For a job in a cluster, "
      "render "
      "prints the objects that the cluster gets.");
  declare_job_flags(line, words.flags);
  line.words("a job file, or -- and a program", 1, 1, words.files).rest(words.command, runnable_here(context.caller));
  declare_format(line, format);
  line.flag("--secret", secret, "for a cluster: print the Secret that the pods need, with a new token")
      .value("--namespace", "NAME", words.flags.space, "for a cluster: the namespace of the objects");
  std::optional<std::string> kubectl_context;
  declare_runtimes_of(line, words.flags, kubectl_context);
  words.flags.typed = line.flags_of(arguments);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  words.runtimes = runtime_lookup(context, words.flags, {kubectl_context.value_or(""), words.flags.space.value_or("")});
  auto draft = draft_job(words, context.caller, draft_backends());
  if (!draft.ok()) {
    fail(context, draft.status());
    return exit_usage;
  }
  if (has_errors(draft->diagnostics)) {
    context.screen.err(draft_text(context, *draft, false));
    return exit_code_of(*draft);
  }
  if (draft->spec.backend == BackendKind::kubernetes) return render_cluster(context, words, *draft, format, secret);
  if (secret || (words.flags.space && !words.flags.cluster_runtimes))
    return fail(context, {Code::invalid_argument, std::string(secret ? "--secret" : "--namespace") +
                                                      " is only for a job in a cluster; add --backend kubernetes"});
  return show_plan(context, *draft, words.flags, format);
}

int validate_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  JobFlags flags;
  std::string format = "text";
  CommandLine line("validate FILE… [flags]", "Checks job files and reports all mistakes. Starts nothing.",
                   "muster validate job.yaml -o json\nmuster validate --backend kubernetes jobs/*.yaml");
  line.words("a job file", 1, most_files, files);
  declare_backend_flag(line, flags);
  declare_host_flags(line, flags);
  std::optional<std::string> kubectl_context;
  declare_runtimes_of(line, flags, kubectl_context);
  declare_format(line, format);
  line.note(
      "For a job on this machine, it also checks that programs, scripts and working folders exist. It reads no "
      "secrets.");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return validate_files(context, files, flags, runtime_lookup(context, flags, {kubectl_context.value_or(""), ""}),
                        format);
}

}  // namespace muster
