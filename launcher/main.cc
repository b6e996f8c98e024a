// SPDX-License-Identifier: Apache-2.0
// The muster program: finds the command by its name and runs it. Commands are in launcher/command.
#include <fcntl.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "core/base/text.h"
#include "core/system/posix/ignored_signals.h"
#include "launcher/cli/foreign_words.h"
#include "launcher/command/job/job_commands.h"
#include "launcher/command/table.h"

namespace {

using namespace muster;

int unknown_command(CommandContext& context, const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  if (const std::string_view ours = own_command_for(word); !ours.empty()) {
    context.screen.err(error_line(context.err_style(), "muster has no command `" + word + "`; " + std::string(ours) +
                                                           "   all commands: muster help"));
    return exit_usage;
  }
  const auto near = nearest(word, names);
  const std::string kind = word.starts_with("-") ? "flag" : "command";
  const std::string sentence = "unknown " + kind + " `" + escaped(word) + "`" +
                               (near ? "; did you mean `" + *near + "`?" : "") + "   all commands: muster help";
  context.screen.err(error_line(context.err_style(), sentence));
  return exit_usage;
}

int dispatch(CommandContext& context, std::vector<std::string> arguments) {
  if (arguments.empty()) arguments = {"help"};
  std::string word = arguments.front();
  arguments.erase(arguments.begin());
  if (word == "-h" || word == "--help") word = "help";
  if (word == "-V" || word == "--version") word = "version";
  if (word == "__complete") return complete_main(context, arguments);
  if (word == "pod") return pod_main(context, arguments);
  if (word == "pmix") return pmix_main(context, arguments);
  const auto& commands = all_commands();
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == word; });
  if (found != commands.end()) return found->main(context, arguments);
  arguments.insert(arguments.begin(), word);
  if (const auto code = torchrun_module_main(context, arguments)) return *code;
  return unknown_command(context, word);
}

// If the program is called torchrun, mpirun or mpiexec (a symbolic link), it runs `muster torchrun` or `muster mpirun`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::string path = argv[0];
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name == "torchrun") words.insert(words.begin(), "torchrun");
  if (name == "mpirun" || name == "orterun" || name.starts_with("mpiexec")) words.insert(words.begin(), "mpirun");
  return words;
}

// If stdin, stdout or stderr is closed (`>&-`), a socket would get its number, and output would be written into that socket.
// A write to a stdout that was closed returns EBADF (screen.h). Its file is not /dev/null, which stderr may be (same_place).
void open_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    const bool opened = fd == STDOUT_FILENO && open("/", O_RDONLY | O_DIRECTORY) >= 0;
    if (!opened) open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

// Runs before the constructors of libraries, because gRPC's open descriptors (ELF gABI, "Initialization and Termination
// Functions").
__attribute__((section(".preinit_array"), used)) void (*const opens_first)() = open_standard_descriptors;

// An exception that no code expects, such as that of a thread that cannot be started. It may be in any thread.
[[noreturn]] void end_badly() {
  std::string what = "an unknown exception";
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  std::cerr << "error: muster cannot go on: " + what +
                   ". If a limit of this shell is low, raise it: ulimit -n (open files), -u (processes and threads), "
                   "-v (memory)\n";
  std::abort();
}

// All of muster's objects have been destroyed. Only gRPC's threads remain (keep_grpc); they end with the process.
[[noreturn]] void leave(int exit_code) {
#ifdef __SANITIZE_ADDRESS__
  __lsan_do_leak_check();
#endif
  _exit(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  // If the reader of stdout exits, a write returns an error (screen.h). SIGPIPE would end the command, which may host a job.
  for (const int number : kIgnoredSignals) std::signal(number, SIG_IGN);
  std::set_terminate(end_badly);
  const CallerContext caller = read_caller_context(argv[0]);
  FdScreen screen;
  CommandContext context{caller, screen};
  const int exit_code = dispatch(context, words_of(argc, argv));
  leave(exit_code == exit_ok && screen.failed() ? static_cast<int>(exit_unwritten) : exit_code);
}
