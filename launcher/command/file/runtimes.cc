// SPDX-License-Identifier: Apache-2.0
// muster runtimes: lists and shows the templates of job files.
#include "core/client/submission/runtimes.h"

#include <algorithm>

#include "core/base/text.h"
#include "launcher/cli/command.h"
#include "launcher/cli/output_format.h"
#include "launcher/view/runtimes_view.h"

namespace muster {
namespace {

int list(CommandContext& context, const std::vector<RuntimeFolder>& folders, const std::string& format) {
  const std::vector<RuntimeFile> files = find_runtimes(folders);
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
  if (files.empty())
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

// Prints the runtime and the ones it extends, in order of precedence: the first one wins.
int show(CommandContext& context, const std::string& name, const std::vector<RuntimeFolder>& folders,
         const std::string& format) {
  const std::vector<RuntimeFile> files = find_runtimes(folders);
  const bool there = std::any_of(files.begin(), files.end(), [&](const RuntimeFile& f) { return f.name == name; });
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
  std::string format = "text";
  std::vector<std::string> words;
  CommandLine line("runtimes [list|show NAME] [flags]", "Lists or shows runtimes, the templates of job files.",
                   "muster runtimes\nmuster runtimes list -o json");
  line.verbs({{"list", "", "all runtimes; of those with the same name, the first one is used", ""},
              {"show", "NAME", "the text of a runtime, and of the runtimes that it extends", "a runtime"}},
             verb)
      .words("a runtime (muster runtimes lists them)", 0, 1, words)
      .note("A job uses a runtime with `runtime: NAME` in its job file, or with --runtime NAME.");
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const std::vector<RuntimeFolder> folders = runtime_folders(context.caller, context.caller.workdir);
  if (verb == "list" && words.empty()) return list(context, folders, format);
  if (verb == "list")
    return fail(context, {Code::invalid_argument, "to show a runtime: muster runtimes show " + words.front()});
  if (words.empty())
    return fail(context, {Code::invalid_argument, "muster runtimes show needs a name; muster runtimes lists them"});
  return show(context, words.front(), folders, format);
}

}  // namespace muster
