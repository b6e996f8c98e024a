// SPDX-License-Identifier: Apache-2.0
// muster runtimes: lists and shows the templates of job files.
#include "core/client/submission/runtimes.h"

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/job/file/kubeflow/built_in_runtimes.h"
#include "launcher/cli/cluster_runtimes.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/command.h"
#include "launcher/cli/output_format.h"
#include "launcher/view/runtimes_view.h"

namespace muster {
namespace {

// The runtimes of Kubeflow Trainer, for TrainJobs. A registered one of the same name is used instead.
void add_built_in(std::vector<RuntimeFile>& files) {
  const size_t registered = files.size();
  for (const BuiltInRuntime& each : built_in_runtimes()) {
    const bool shadowed = std::any_of(files.begin(), files.begin() + static_cast<ptrdiff_t>(registered),
                                      [&](const RuntimeFile& file) { return file.name == each.name; });
    files.push_back({.name = std::string(each.name),
                     .layer = "built-in",
                     .description = "for TrainJobs: " + std::string(each.description),
                     .shadowed = shadowed});
  }
}

// A TrainJob names one of them by kind and name.
Status add_of_cluster(const CommandContext& context, const ClusterPlace& place, std::vector<RuntimeFile>& files) {
  const auto found = cluster_runtimes(context, place);
  if (!found.ok()) return found.status();
  for (const TrainingRuntimeFacts& each : *found)
    files.push_back({.name = each.name,
                     .layer = each.space.empty() ? "cluster" : "namespace " + each.space,
                     .description = each.kind + (each.framework.empty() ? "" : " for " + each.framework)});
  return {};
}

struct ListFlags {
  std::string format = "text";
  bool all = false;
  bool of_cluster = false;
  ClusterWords cluster;
};

int list(CommandContext& context, const std::vector<RuntimeFolder>& folders, const ListFlags& flags) {
  const std::string& format = flags.format;
  std::vector<RuntimeFile> files;
  if (!flags.of_cluster) files = find_runtimes(folders);
  if (flags.all) add_built_in(files);
  if (flags.of_cluster) {
    if (const Status asked = add_of_cluster(context, flags.cluster.place(), files); !asked.ok())
      return fail(context, asked);
  }
  if (is_document(format)) {
    print_document(context.screen, format, runtimes_json(files));
    return exit_ok;
  }
  if (format == "name") {
    for (const RuntimeFile& file : files) {
      if (!file.shadowed) context.screen.out(file.name + "\n");
    }
    return exit_ok;
  }
  std::vector<std::string> paths;
  for (const RuntimeFolder& folder : folders) paths.push_back(folder.path + "/NAME.yaml");
  if (files.empty() && flags.of_cluster) context.screen.err("the cluster has no runtimes\n");
  if (files.empty() && !flags.of_cluster)
    context.screen.err("there are no runtimes; to make one, write a file " + join(paths, ", or ") + "\n");
  context.screen.out(runtimes_table(files, context.out_style(), format == "wide"));
  return exit_ok;
}

int unknown(CommandContext& context, const std::string& name, const std::vector<RuntimeFolder>& folders) {
  std::vector<std::string> names;
  for (const RuntimeFile& file : find_runtimes(folders)) names.push_back(file.name);
  const auto near = nearest(name, names);
  return fail(context,
              {Code::not_found, "there is no runtime `" + escaped(name) + "`" +
                                    (near ? "; did you mean `" + *near + "`?" : "; muster runtimes lists them")});
}

// Deletes the strongest file of this name. Jobs that exist keep their values.
int remove(CommandContext& context, const std::string& name, const std::vector<RuntimeFolder>& folders) {
  const std::vector<RuntimeFile> files = find_runtimes(folders);
  const auto found = std::find_if(files.begin(), files.end(), [&](const RuntimeFile& f) { return f.name == name; });
  if (found == files.end() && built_in_runtime_text(name))
    return fail(context, {Code::failed_precondition, "`" + name +
                                                         "` is built in; register one of the same name to "
                                                         "replace it: muster apply -f FILE"});
  if (found == files.end()) return unknown(context, name, folders);
  std::error_code error;
  std::filesystem::remove(found->file, error);
  if (error)
    return fail(context, {Code::permission_denied, "cannot delete " + found->file + ": " + error.message() +
                                                       "; check the permissions of its folder"});
  context.screen.out(name + "\n");
  context.screen.err("deleted " + found->file + "; jobs that were submitted keep its values\n");
  for (const RuntimeFile& file : files) {
    if (file.base == name && &file != &*found && !file.shadowed)
      context.screen.err("the runtime " + file.name + " extends it (" + file.file + ")\n");
  }
  return exit_ok;
}

// Prints the runtime and the ones it extends, in order of precedence: the first one wins.
int show(CommandContext& context, const std::string& name, const std::vector<RuntimeFolder>& folders,
         const std::string& format) {
  const std::vector<RuntimeFile> files = find_runtimes(folders);
  const bool there = std::any_of(files.begin(), files.end(), [&](const RuntimeFile& f) { return f.name == name; });
  if (const auto text = there ? std::nullopt : built_in_runtime_text(name)) {
    if (is_document(format))
      print_document(context.screen, format, runtime_json(name, {{"built-in", *text}}));
    else
      context.screen.out(format == "name" ? name + "\n" : "# built-in\n" + *text);
    return exit_ok;
  }
  if (!there) return unknown(context, name, folders);
  const RuntimeChain chain = read_runtimes({name, {"runtimes show", 0, 0, 1}}, folders);
  std::vector<SourceText> sources;
  for (const ConfigLayer& each : chain.templates) sources.push_back({each.file, each.text});
  if (!chain.problems.empty()) {
    context.screen.err(render_diagnostics(chain.problems, sources, context.report_style(false)));
    return exit_usage;
  }
  if (is_document(format)) {
    print_document(context.screen, format, runtime_json(name, chain.templates));
    return exit_ok;
  }
  if (format == "name") {
    context.screen.out(name + "\n");
    return exit_ok;
  }
  for (const ConfigLayer& each : chain.templates) {
    if (&each != &chain.templates.front()) context.screen.out("---\n");
    context.screen.out("# " + each.file + "\n" + each.text + (each.text.ends_with('\n') ? "" : "\n"));
  }
  return exit_ok;
}

}  // namespace

int runtimes_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::string verb = "list";
  ListFlags flags;
  std::vector<std::string> words;
  CommandLine line("runtimes [list|show NAME|delete NAME] [flags]",
                   "Lists, shows or deletes runtimes, the templates of job files and of TrainJobs.",
                   "muster runtimes\nmuster runtimes list --all -o json\nmuster runtimes --cluster-runtimes");
  line.verbs({{"list", "", "all runtimes; of those with the same name, the first one is used", ""},
              {"show", "NAME", "the text of a runtime, and of the runtimes that it extends", "a runtime"},
              {"delete", "NAME", "deletes the file of a runtime; its jobs keep their values", "a runtime"}},
             verb)
      .flag("--all", flags.all, "also those that are built in for TrainJobs")
      .flag("--cluster-runtimes", flags.of_cluster, "list those of the cluster, which must have Kubeflow Trainer")
      .words("a runtime (muster runtimes lists them)", 0, 1, words)
      .note("A job uses a runtime with `runtime: NAME` in its job file, or with --runtime NAME.");
  declare_cluster_place(line, flags.cluster);
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const std::vector<RuntimeFolder> folders = runtime_folders(context.caller, context.caller.workdir);
  const bool placed = flags.cluster.place() != ClusterPlace{};
  if (flags.of_cluster ? verb != "list" || flags.all : placed)
    return fail(context, {Code::invalid_argument,
                          flags.of_cluster ? "--cluster-runtimes lists those of the cluster alone; for the text "
                                             "of one: kubectl get clustertrainingruntime NAME -o yaml"
                                           : "--context and --namespace need --cluster-runtimes"});
  if (verb == "list" && words.empty()) return list(context, folders, flags);
  if (verb == "list")
    return fail(context, {Code::invalid_argument, "to show a runtime: muster runtimes show " + words.front()});
  if (words.empty())
    return fail(context,
                {Code::invalid_argument, "muster runtimes " + verb + " needs a name; muster runtimes lists them"});
  if (verb == "delete") return remove(context, words.front(), folders);
  return show(context, words.front(), folders, flags.format);
}

}  // namespace muster
