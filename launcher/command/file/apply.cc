// SPDX-License-Identifier: Apache-2.0
// muster apply: registers TrainingRuntimes, so that TrainJobs find them by their names.
#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/client/manifest/manifest_source.h"
#include "core/client/submission/job_source.h"
#include "core/client/submission/runtimes.h"
#include "core/client/view/json.h"
#include "core/client/whole_file.h"
#include "core/job/diagnostic.h"
#include "core/job/file/job_yaml.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/kubeflow/tree/tree_text.h"
#include "launcher/cli/command.h"
#include "launcher/command/file/file_commands.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

struct Registration {
  std::string name;
  std::string text;
};

Result<ManifestSource> source_of(const std::string& file, const CallerContext& caller) {
  std::error_code ignored;
  const fs::path path = fs::path(caller.workdir) / file;
  if (fs::is_directory(path, ignored)) return manifests_of_folder(file);
  if (file != "-" && fs::status(path, ignored).type() == fs::file_type::not_found)
    return Status(Code::not_found,
                  "there is no file or folder `" + escaped(file) +
                      "`; to get the runtimes of a cluster: kubectl get clustertrainingruntimes -o yaml");
  const auto text = read_job_source(file, {}, caller);
  if (!text.ok()) return text.status();
  auto source = manifest_in(*text, file == "-" ? "standard input" : file);
  if (source) return std::move(*source);
  return Status(Code::invalid_argument, "`" + escaped(file) +
                                            "` is no manifest; muster apply registers TrainingRuntimes. To run a job: "
                                            "muster run FILE");
}

Diagnostic bad_name(const ManifestRuntime& runtime) {
  Diagnostic problem;
  problem.code = "E1802";
  problem.where = runtime.where;
  problem.message = "`" + escaped(runtime.name) + "` cannot be the name of a registered runtime";
  problem.help = "use lower-case letters, digits and dashes; Kubernetes would reject it too";
  return problem;
}

// Registered runtimes are found by their names alone.
Diagnostic second_of_name(const ManifestRuntime& runtime) {
  Diagnostic problem;
  problem.code = "E1802";
  problem.where = runtime.where;
  problem.message = "there are two runtimes called `" + runtime.name + "`, and muster registers one of a name";
  problem.help = "rename one of them; a TrainingRuntime and a ClusterTrainingRuntime share their names here";
  return problem;
}

// A template of job files at this path would be lost.
Status check_replaceable(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const auto text = read_job_file(path);
  if (text.ok() && looks_like_manifest(*text)) return {};
  return {Code::already_exists, path +
                                    " is a runtime of job files, not a TrainingRuntime; delete it first (muster "
                                    "runtimes delete), or give the TrainingRuntime another name"};
}

// The runtimes of the source; other documents are named on stderr. Problems are added to the source.
std::vector<Registration> runtimes_in(CommandContext& context, ManifestSource& source) {
  std::vector<Registration> found;
  for (const YamlNode& document : source.documents) {
    auto runtime = check_runtime(document);
    if (!runtime) {
      context.screen.err(document.where.file + ":" + std::to_string(document.where.line) +
                         ": not a TrainingRuntime, so it is not registered; to run a job: muster run\n");
      continue;
    }
    std::move(runtime->diagnostics.begin(), runtime->diagnostics.end(), std::back_inserter(source.problems));
    if (!is_runtime_name(runtime->name)) {
      if (!runtime->name.empty()) source.problems.push_back(bad_name(*runtime));
      continue;
    }
    if (std::any_of(found.begin(), found.end(), [&](const Registration& each) { return each.name == runtime->name; }))
      source.problems.push_back(second_of_name(*runtime));
    found.push_back({runtime->name, yaml_from_json(tree_json(document))});
  }
  return found;
}

}  // namespace

int apply_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::optional<std::string> given;
  std::vector<std::string> none;
  bool user = false;
  CommandLine line("apply -f FILE|FOLDER [flags]",
                   "Registers TrainingRuntimes of Kubeflow for the project, or for you.",
                   "muster apply -f runtimes/\nmuster apply -f runtime.yaml --user");
  line.value("-f,--filename", "FILE", given, "the manifest, a folder of manifests, or - for standard input")
      .flag("--user", user, "for all your projects; default: for the project of this folder")
      .words("no further arguments", 0, 0, none)
      .note("TrainJobs name a runtime in spec.runtimeRef. muster runtimes lists them.");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const std::string file = given.value_or("");
  if (file.empty()) return fail(context, {Code::invalid_argument, "muster apply needs -f FILE or -f FOLDER"});
  auto source = source_of(file, context.caller);
  if (!source.ok()) return fail(context, source.status());
  const std::vector<Registration> runtimes = runtimes_in(context, *source);
  if (has_errors(source->problems)) {
    context.screen.err(render_diagnostics(source->problems, source->sources, context.report_style(false)));
    return exit_usage;
  }
  if (runtimes.empty())
    return fail(context, {Code::invalid_argument,
                          "there is no TrainingRuntime in `" + escaped(file) + "`; to run a job: muster run FILE"});
  const auto folders = runtime_folders(context.caller, context.caller.workdir);
  const std::string wanted = user ? "user" : "project";
  for (const RuntimeFolder& folder : folders) {
    if (folder.layer != wanted) continue;
    for (const Registration& runtime : runtimes) {
      const Status free = check_replaceable(folder.path + "/" + runtime.name + ".yaml");
      if (!free.ok()) return fail(context, free);
    }
    for (const Registration& runtime : runtimes) {
      const std::string path = folder.path + "/" + runtime.name + ".yaml";
      if (const Status done = replace_file(path, runtime.text); !done.ok()) return fail(context, done);
      context.screen.out(runtime.name + "\n");
      context.screen.err("registered for the " + wanted + ": " + path + "\n");
    }
    return exit_ok;
  }
  return fail(context, {Code::failed_precondition,
                        "HOME is not set, so there is no folder for your runtimes; leave --user out"});
}

}  // namespace muster
