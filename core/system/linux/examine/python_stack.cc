#include "core/system/linux/examine/python_stack.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <vector>

#include "core/base/text.h"
#include "core/system/linux/examine/bounded_talk.h"
#include "core/system/linux/proc_files.h"
#include "core/system/posix/program_search.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

constexpr auto kLongest = std::chrono::seconds(3);
constexpr size_t kMostPythonText = 8 << 10;
constexpr const char* kProgram = "py-spy";

// The rank's PATH, so that a virtual environment's own is found, and the folder of its interpreter.
std::string find_py_spy(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const auto environment = read_environment(pid);
  std::string path = environment.contains("PATH") ? environment.at("PATH") : search_path({});
  char program[PATH_MAX] = {};
  if (readlink((folder + "/exe").c_str(), program, sizeof program - 1) > 0) {
    const std::string text = program;
    path = text.substr(0, text.rfind('/')) + ":" + path;
  }
  for (const std::string& candidate : program_candidates(kProgram, path)) {
    if (candidate.starts_with("/") && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

bool is_python(pid_t pid) {
  const std::string maps = read_small_file("/proc/" + std::to_string(pid) + "/maps").value_or("");
  return maps.find("python") != std::string::npos;
}

std::string printed_by(const std::string& program, pid_t pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const std::string number = std::to_string(pid);
  const char* argv[] = {kProgram, "dump", "--nonblocking", "--pid", number.c_str(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, const_cast<char**>(argv), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return "";
  in = UniqueFd();
  std::string text = read_to_end(out.get(), {std::chrono::steady_clock::now() + kLongest, kMostPythonText});
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

PythonStack parse_py_spy(const std::string& printed) {
  PythonStack stack;
  bool main = false;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    line = escaped(line);
    if (line.starts_with("Thread ")) main = line.find("\"MainThread\"") != std::string::npos;
    const bool frame = line.starts_with("    ");
    if (frame && main && stack.innermost.empty()) stack.innermost = line.substr(4);
    if (frame || line.starts_with("Thread ")) stack.text += (frame ? "" : "  Python ") + line + "\n";
  }
  return stack;
}

PythonStack python_stack(const std::vector<PythonThread>& threads) {
  PythonStack stack;
  for (const PythonThread& thread : threads) {
    if (stack.text.size() > kMostPythonText) break;
    stack.text += "  Python thread " + std::to_string(thread.number) + "\n";
    for (const std::string& frame : thread.frames) stack.text += "    " + escaped(frame) + "\n";
  }
  if (!threads.empty() && !threads.back().frames.empty()) stack.innermost = escaped(threads.back().frames.front());
  return stack;
}

PythonStack python_stack(pid_t pid) {
  if (!is_python(pid)) return {};
  if (PythonStack read = python_stack(python_frames(pid).threads); !read.text.empty()) return read;
  const std::string program = find_py_spy(pid);
  return program.empty() ? PythonStack() : parse_py_spy(printed_by(program, pid));
}

}  // namespace muster
