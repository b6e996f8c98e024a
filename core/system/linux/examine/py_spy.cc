// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/py_spy.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/system/linux/examine/bounded_talk.h"
#include "core/system/linux/proc_files.h"
#include "core/system/posix/program_search.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

using Json = nlohmann::json;

constexpr const char* kPySpy = "py-spy";
constexpr auto kPySpyTimeout = std::chrono::seconds(3);
constexpr size_t kMostPySpyAnswer = 1 << 20;
constexpr size_t kMostPySpyThreads = 32;
constexpr size_t kMostPySpyFrames = 64;
constexpr size_t kLongestPySpyText = 200;

const Json& py_spy_member(const Json& object, const char* key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

// The end of a path is more useful than its beginning.
std::string py_spy_text(const Json& object, const char* key) {
  const Json& found = py_spy_member(object, key);
  if (!found.is_string()) return "";
  const auto& value = found.get_ref<const std::string&>();
  return value.size() > kLongestPySpyText ? value.substr(value.size() - kLongestPySpyText) : value;
}

int64_t py_spy_number(const Json& object, const char* key) {
  const Json& found = py_spy_member(object, key);
  return found.is_number_integer() ? found.get<int64_t>() : 0;
}

std::string py_spy_frame(const Json& frame) {
  std::string file = py_spy_text(frame, "short_filename");
  if (file.empty()) file = py_spy_text(frame, "filename");
  const int64_t line = py_spy_number(frame, "line");
  return py_spy_text(frame, "name") + " (" + file + (line > 0 ? ":" + std::to_string(line) : "") + ")";
}

PythonThread py_spy_thread(const Json& thread) {
  PythonThread found{py_spy_number(thread, "os_thread_id"), {}, py_spy_text(thread, "thread_name")};
  const Json& frames = py_spy_member(thread, "frames");
  for (const Json& frame : frames.is_array() ? frames : Json::array()) {
    if (found.frames.size() == kMostPySpyFrames) break;
    found.frames.push_back(py_spy_frame(frame));
  }
  return found;
}

}  // namespace

std::string find_py_spy(pid_t pid) {
  const auto environment = read_environment(pid);
  std::string path = environment.contains("PATH") ? environment.at("PATH") : search_path({});
  char program[PATH_MAX] = {};
  if (readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), program, sizeof program - 1) > 0) {
    const std::string interpreter = program;
    path = interpreter.substr(0, interpreter.rfind('/')) + ":" + path;
  }
  for (const std::string& candidate : program_candidates(kPySpy, path)) {
    if (candidate.starts_with("/") && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

std::vector<PythonThread> ask_py_spy(const std::string& program, pid_t pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const std::string number = std::to_string(pid);
  const char* argv[] = {kPySpy, "dump", "--nonblocking", "--json", "--pid", number.c_str(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, const_cast<char**>(argv), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return {};
  in = UniqueFd();
  const std::string json = read_to_end(out.get(), {std::chrono::steady_clock::now() + kPySpyTimeout, kMostPySpyAnswer});
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return parse_py_spy(json);
}

std::vector<PythonThread> parse_py_spy(std::string_view json) {
  std::vector<PythonThread> threads;
  const Json answer = Json::parse(json, nullptr, false);
  if (!answer.is_array()) return threads;
  for (const Json& thread : answer) {
    if (threads.size() == kMostPySpyThreads) break;
    threads.push_back(py_spy_thread(thread));
  }
  std::stable_partition(threads.begin(), threads.end(),
                        [](const PythonThread& each) { return each.name != "MainThread"; });
  return threads;
}

}  // namespace muster
