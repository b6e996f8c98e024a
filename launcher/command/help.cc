// SPDX-License-Identifier: Apache-2.0
// muster help: the list of commands, the help of one command, and manual pages of both.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/text.h"
#include "launcher/command/table.h"
#include "launcher/view/man_page.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr const char* job_file_page = "job";

constexpr const char* terms =
    "muster COMMAND --help explains a command and its flags. A JOB is a name, an id, a unique beginning of either, or "
    "@last, the newest job. attach, describe, events, logs and why use @last if you name no job.\n\n"
    "A rank is one process of a job. A gang is the ranks that fail and restart together: all ranks of a job, or those "
    "of "
    "one group. An attempt is one start of a gang. An agent is muster's process on each node that starts the ranks. "
    "The "
    "controller is muster's process that manages your jobs and their queue.";

std::string command_list(const Style& style) {
  std::string text =
      "muster runs distributed training on this machine, on hosts over ssh, or in a\nKubernetes cluster.\n"
      "\nusage: muster COMMAND [flags]\n";
  size_t widest = 0;
  for (const Command& command : all_commands()) widest = std::max(widest, command.name.size());
  std::string group;
  for (const Command& command : all_commands()) {
    if (command.group != group) text += "\n" + paint(style, Colour::bold, command.group) + "\n";
    group = command.group;
    text += "  " + command.name + std::string(widest + 2 - command.name.size(), ' ') + command.summary + "\n";
  }
  return text + "\nexample:\n  muster run -n 2 -- python train.py\n  muster run job.yaml\n\n" + wrapped(terms, 80) +
         "\n";
}

const Command* find_command(const std::string& name) {
  const auto& commands = all_commands();
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

ManSource man_source(const CommandContext& context) {
  ManSource source{.version = context.caller.version};
  for (const Command& command : all_commands())
    source.commands.push_back({command.group, command.name, command.summary});
  return source;
}

std::string page_of(const CommandContext& context, const Command& command) {
  return man_of_command(man_source(context), command.name, facts_of(command, context.caller));
}

// muster.1, muster-run.1 … and muster-job.5.
int write_pages(CommandContext& context, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream file(fs::path(folder) / name, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    return file.good();
  };
  bool whole = write("muster.1", man_overview(man_source(context))) &&
               write("muster-job.5", man_of_job_file(man_source(context)));
  for (const Command& command : all_commands())
    whole = whole && write("muster-" + command.name + ".1", page_of(context, command));
  if (whole) return exit_ok;
  return fail(context, {Code::permission_denied, "cannot write all pages into " + folder + "; choose another folder"});
}

int unknown(CommandContext& context, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  const auto near = nearest(name, names);
  return fail(context, {Code::invalid_argument,
                        "there is no command `" + escaped(name) + "`" +
                            (near ? "; did you mean `" + *near + "`?" : "; for all commands: muster help")});
}

}  // namespace

int help_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  bool man = false;
  std::optional<std::string> folder;
  CommandLine line("help [COMMAND] [flags]", "Shows all commands, or the help of one.",
                   "muster help run\nmuster help --man run | man -l -");
  line.words("a command", 0, 1, words)
      .flag("--man", man, "print a manual page (man(7)); the page `job` describes the job file")
      .value("--man-folder", "FOLDER", folder, "write all manual pages into this folder");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (folder) return write_pages(context, *folder);
  const Command* command = words.empty() ? nullptr : find_command(words.front());
  const bool job_file = man && !words.empty() && words.front() == job_file_page;
  if (!words.empty() && command == nullptr && !job_file) return unknown(context, words.front());
  if (job_file) {
    context.screen.out(man_of_job_file(man_source(context)));
  } else if (man) {
    context.screen.out(command == nullptr ? man_overview(man_source(context)) : page_of(context, *command));
  } else if (command != nullptr && command->name != "help") {
    return command->main(context, {"--help"});
  } else {
    context.screen.out(command == nullptr ? command_list(context.out_style()) : line.help());
  }
  return exit_ok;
}

}  // namespace muster
