// muster: one binary. The commands are in command/, what they are wired from in wire/.
#include <fcntl.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <algorithm>
#include <csignal>

#include "core/base/text.h"
#include "launcher/command/table.h"

namespace {

using namespace muster;

int unknown_command(CommandContext& context, const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  const auto near = nearest(word, names);
  const std::string kind = word.starts_with("-") ? "flag" : "command";
  const std::string sentence = "unknown " + kind + " `" + escaped(word) + "`" +
                               (near ? "; did you mean `" + *near + "`?" : "") + "   all of them: muster help";
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
  const auto& commands = all_commands();
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == word; });
  return found == commands.end() ? unknown_command(context, word) : found->main(context, arguments);
}

// A link called torchrun is that command.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::string name = argv[0];
  if (name.substr(name.rfind('/') + 1) == "torchrun") words.insert(words.begin(), "torchrun");
  return words;
}

// Closed ones (`>&-`) would be taken by sockets, and output be written into those.
void open_standard_descriptors() {
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO) {
    fcntl(fd, F_SETFD, 0);
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  }
  if (fd >= 0) close(fd);
}

// Before any library's own beginning: gRPC's makes descriptors there (ELF's gABI, "Initialization and Termination Functions").
__attribute__((section(".preinit_array"), used)) void (*const opens_first)() = open_standard_descriptors;

// By now everything of ours has ended in its destructor. What is left is gRPC's (keep_grpc) and ends with the process.
[[noreturn]] void leave(int exit_code) {
#ifdef __SANITIZE_ADDRESS__
  __lsan_do_leak_check();
#endif
  _exit(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that leaves is an error of one write (screen.h), not the death of a command that may host a job.
  std::signal(SIGPIPE, SIG_IGN);
  const CallerContext caller = read_caller_context(argv[0]);
  FdScreen screen;
  CommandContext context{caller, screen};
  const int exit_code = dispatch(context, words_of(argc, argv));
  leave(exit_code == exit_ok && screen.failed() ? static_cast<int>(exit_unwritten) : exit_code);
}
