// muster completion: the script by which a shell completes muster's words; and what that script asks.
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
  if (shell == "fish") return "fish reads it from now on";
  if (shell == "zsh")
    return "new shells read it with these lines in ~/.zshrc:\n  fpath+=(" + folder +
           ")\n  autoload -Uz compinit && compinit";
  return "new shells read it where the package bash-completion is installed; elsewhere, in ~/.bashrc:\n  source " +
         file;
}

int install(CommandContext& context, const std::string& shell) {
  const auto file = completion_file(shell, context.caller);
  if (!file.ok()) return fail(context, file.status());
  std::error_code error;
  fs::create_directories(fs::path(*file).parent_path(), error);
  // Whole or not at all: a shell may be reading the old one.
  const std::string fresh = *file + ".new";
  std::ofstream(fresh, std::ios::binary | std::ios::trunc) << completion_script(shell);
  if (!error) fs::rename(fresh, *file, error);
  if (error) {
    return fail(context, {Code::permission_denied, "cannot write " + *file + ": " + error.message() +
                                                       "; print it instead: muster completion " + shell});
  }
  context.screen.err("wrote " + *file + "\n" + advice(shell, *file) + "\n");
  return exit_ok;
}

// "/usr/bin/fish" → "fish", where it is one that we know.
std::string shell_of(const CallerContext& caller) {
  const std::string name = fs::path(caller.variable("SHELL").value_or("")).filename().string();
  return name == "zsh" || name == "fish" ? name : "bash";
}

}  // namespace

int completion_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::string shell = shell_of(context.caller);
  bool wanted = false;
  std::vector<std::string> none;
  CommandLine line(
      "completion [bash|zsh|fish] [flags]",
      "Prints what makes a shell complete muster's commands, flags, jobs and ranks; without a word for the "
      "shell of SHELL.",
      "source <(muster completion bash)\nmuster completion zsh --install");
  line.verbs({{"bash", "", "for bash 4.4 or newer", ""},
              {"zsh", "", "for zsh", ""},
              {"fish", "", "for fish 3 or newer", ""}},
             shell)
      .words("no more words", 0, 0, none)
      .flag("--install", wanted, "write it where your shell finds it, and say where that is");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (wanted) return install(context, shell);
  context.screen.out(completion_script(shell));
  return exit_ok;
}

// A shell waits for this at every key: nothing is started, and nothing said where there is nothing to say.
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
