// SPDX-License-Identifier: Apache-2.0
// A Python program that runs beside a test.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/system/posix/unique_fd.h"

namespace muster {

class RunningPython {
 public:
  // Looks up `program` in PATH. Its standard input is a pipe that stays open.
  RunningPython(const std::string& program, const std::string& text) {
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return;
    const UniqueFd read_by_child(in[0]);
    const UniqueFd written_by_child(out[1]);
    to_ = UniqueFd(in[1]);
    from_ = UniqueFd(out[0]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const char* argv[] = {program.c_str(), "-c", text.c_str(), nullptr};
    std::vector<std::string> variables = variables_for(program);
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    if (posix_spawnp(&pid_, program.c_str(), &actions, nullptr, const_cast<char**>(argv), environment.data()) != 0)
      pid_ = 0;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~RunningPython() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  RunningPython(const RunningPython&) = delete;
  RunningPython& operator=(const RunningPython&) = delete;

  pid_t pid() const { return pid_; }

  // Waits until the program has written these characters, in any order. False: it ended before.
  bool says(std::string sorted) {
    std::string got;
    char next = 0;
    while (pid_ != 0 && got.size() < sorted.size() && read(from_.get(), &next, 1) == 1) got += next;
    std::sort(got.begin(), got.end());
    return got == sorted;
  }

 private:
  // If pyenv manages several releases, its `python3.12` runs only with this variable.
  static std::vector<std::string> variables_for(const std::string& program) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
    if (program.starts_with("python3.")) variables.push_back("PYENV_VERSION=" + program.substr(6));
    return variables;
  }

  pid_t pid_ = 0;
  UniqueFd to_;
  UniqueFd from_;
};

}  // namespace muster
