// SPDX-License-Identifier: Apache-2.0
// muster completion: prints or installs a completion script. muster __complete: answers that script.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/command/table.h"
#include "launcher/completion/shell_scripts.h"
#include "launcher/composition/known_words.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::string advice(const std::string& shell, const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  if (shell == "fish") return "fish uses it from now on";
  if (shell == "zsh")
    return "to use it, add these lines to ~/.zshrc:\n  fpath+=(" + folder + ")\n  autoload -Uz compinit && compinit";
  return "new shells use it if the package bash-completion is installed; otherwise add to ~/.bashrc:\n  source " + file;
}

int install(CommandContext& context, const std::string& shell) {
  const auto file = completion_file(shell, context.caller);
  if (!file.ok()) return fail(context, file.status());
  std::error_code error;
  fs::create_directories(fs::path(*file).parent_path(), error);
  // Renamed when complete, because a shell may be reading the old file.
  const std::string fresh = *file + ".new";
  std::ofstream(fresh, std::ios::binary | std::ios::trunc) << completion_script(shell);
  if (!error) fs::rename(fresh, *file, error);
  if (error) {
    return fail(context, {Code::permission_denied, "cannot write " + *file + ": " + error.message() +
                                                       "; to print the script instead: muster completion " + shell});
  }
  context.screen.err("wrote " + *file + "\n" + advice(shell, *file) + "\n");
  return exit_ok;
}

// "/usr/bin/fish" → "fish"; bash if the shell is not known.
std::string shell_of(const CallerContext& caller) {
  const std::string name = fs::path(caller.variable("SHELL").value_or("")).filename().string();
  return name == "zsh" || name == "fish" ? name : "bash";
}

}  // namespace

int completion_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::string shell = shell_of(context.caller);
  bool wanted = false;
  std::vector<std::string> none;
  CommandLine line("completion [bash|zsh|fish] [flags]",
                   "Prints a script with which a shell completes commands, flags and jobs.",
                   "source <(muster completion bash)\nmuster completion zsh --install");
  line.verbs({{"bash", "", "for bash 4.4 or newer", ""},
              {"zsh", "", "for zsh", ""},
              {"fish", "", "for fish 3 or newer", ""}},
             shell)
      .words("no further arguments", 0, 0, none)
      .note("Without bash, zsh or fish, it prints the script for the shell that the variable SHELL names.")
      .flag("--install", wanted, "write the script into the folder where your shell looks for it, and print its path");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (wanted) return install(context, shell);
  context.screen.out(completion_script(shell));
  return exit_ok;
}

// The shell waits for this at each completion: starts no controller, and prints no errors.
int complete_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<KnownCommand> commands;
  for (const Command& command : all_commands()) {
    commands.push_back(
        {command.name, command.summary, [&command, &context] { return facts_of(command, context.caller); }});
  }
  context.screen.out(completion_lines(complete(arguments, commands, known_words(context.caller))));
  return exit_ok;
}

}  // namespace muster
