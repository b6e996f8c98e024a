// SPDX-License-Identifier: Apache-2.0
// muster convert: writes a manifest as a job file, a JobSet or a TrainJob, and a job file as one of the last two.
#include <set>

#include "core/base/text.h"
#include "core/client/manifest/manifest_source.h"
#include "core/client/submission/job_draft.h"
#include "core/client/submission/runtimes.h"
#include "core/client/view/json.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/kubeflow/train_job_writer.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/tree_text.h"
#include "launcher/cli/command.h"
#include "launcher/cli/draft_report.h"
#include "launcher/command/file/file_commands.h"
#include "launcher/command/file/render_cluster.h"
#include "launcher/composition/draft_backends.h"

namespace muster {
namespace {

constexpr const char* kBackendKey = "backend";

// The job file names the backend for which the manifest was read, because fields differ between them.
int print_job_file(CommandContext& context, const JobDraft& draft, YamlNode tree) {
  context.screen.out(yaml_from_json(tree_json(short_form(std::move(tree)))));
  for (const std::string& note : draft.remarks) context.screen.err(note + "\n");
  return exit_ok;
}

int print_train_job(CommandContext& context, JobDraft& draft) {
  draft.spec.workdir = draft.written_workdir;
  const auto written = train_job_objects(draft.spec);
  if (!written.ok()) return fail(context, written.status());
  std::string text;
  for (const std::string& object : written->objects) text += (text.empty() ? "" : "---\n") + yaml_from_json(object);
  context.screen.out(text);
  for (const std::vector<std::string>& notes : {draft.remarks, written->notes}) {
    for (const std::string& note : notes) context.screen.err(note + "\n");
  }
  return exit_ok;
}

void set_backend(JobWords& words, const std::string& backend) {
  for (JobFlags::Mirror& mirror : words.flags.mirrors) {
    if (mirror.key == kBackendKey) mirror.value = backend;
  }
}

// A job file cannot refer to a manifest, so its secrets are variables of the shell. Returns their names.
std::set<std::string> secrets_from_shell(YamlNode& tree) {
  std::set<std::string> names;
  const auto change = [&](YamlNode* variables) {
    if (variables == nullptr) return;
    for (YamlEntry& each : variables->entries) {
      YamlNode* from = child(&each.value, "from");
      if (from == nullptr || !from->text.starts_with(kSecretOfManifest)) continue;
      from->text = "env:" + each.key;
      names.insert(each.key);
    }
  };
  change(child(&tree, "env"));
  YamlNode* groups = child(&tree, "groups");
  if (groups != nullptr) {
    for (YamlNode& group : groups->items) change(child(&group, "env"));
  }
  return names;
}

}  // namespace

int convert_main(CommandContext& context, const std::vector<std::string>& arguments) {
  JobWords words;
  std::string target = "job";
  std::string backend;
  CommandLine line("convert FILE [flags]",
                   "Writes a manifest of Kubeflow, a JobSet or a job file in another form, to stdout.",
                   "muster convert trainjob.yaml > job.yaml\nmuster convert --to jobset pytorchjob.yaml\n"
                   "muster convert --to trainjob job.yaml");
  line.words("a job file", 1, 1, words.files)
      .choice("--to", {"job", "jobset", "trainjob"}, target,
              "a job file (the default), the objects of a cluster, or a TrainJob and its TrainingRuntime")
      .choice("--backend", {"local", "ssh", "kubernetes"}, backend, "where the job file is to run (default: local)")
      .note("What the target cannot say is printed to stderr, one line each.");
  words.flags.typed = line.flags_of(arguments);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const bool cluster = target != "job" || backend == "kubernetes";
  set_backend(words, cluster ? "kubernetes" : "local");
  auto draft = draft_job(words, context.caller, draft_backends());
  // A job file may name no image, since the runtime of the TrainJob can, and what exists only elsewhere, such as hosts: a note says so.
  if (target == "trainjob" && draft.ok() && draft->manifest_kind.empty()) {
    set_backend(words, "local");
    draft = draft_job(words, context.caller, draft_backends());
  }
  if (!draft.ok()) return fail(context, draft.status());
  if (has_errors(draft->diagnostics)) {
    context.screen.err(draft_text(context, *draft, false));
    return exit_usage;
  }
  if (target == "jobset") return render_cluster(context, words, *draft, "yaml", false);
  if (target == "trainjob") return print_train_job(context, *draft);
  if (!draft->manifest)
    return fail(context, {Code::invalid_argument,
                          "`" + escaped(words.files.front()) +
                              "` is a job file already; to write something else: --to jobset or --to trainjob"});
  YamlNode tree = std::move(*draft->manifest);
  for (const std::string& name : secrets_from_shell(tree))
    draft->remarks.push_back("env." + name + ": the value of the Secret is not written; set " + name +
                             " in the shell that runs the job");
  return print_job_file(context, *draft, std::move(tree));
}

}  // namespace muster
