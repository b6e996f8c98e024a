// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/relay/agent_start.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/job/mpirun/rank_only.h"
#include "core/system/posix/ignored_signals.h"

namespace muster {
namespace {

// Variables of ssh, and of the systemd session, which ends with the ssh session (pam_systemd(8)).
bool of_session(const std::string& name) {
  constexpr std::array kNames = {"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "PWD", "OLDPWD", "SHLVL", "_"};
  return name.starts_with("SSH_") || name.starts_with("XDG_SESSION_") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::vector<std::string> environment_of_agents(const std::map<std::string, std::string>& session) {
  std::map<std::string, std::string> variables = session;
  remove_outer_variables(variables);
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) {
    if (!of_session(name)) environment.push_back(name + "=" + value);
  }
  return environment;
}

Result<pid_t> start_agent(const CallerContext& caller, const std::string& socket, const UniqueFd& stdin_of_agent,
                          bool inside) {
  std::vector<std::string> words = words_of_program(caller);
  words.insert(words.end(), {"agent", "--socket", socket});
  if (inside) words.emplace_back("--inside");
  const std::vector<std::string> environment = environment_of_agents(caller.environment);
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  const sigset_t ours = ignored_signal_set();  // the agent must not inherit that the relay ignores them
  posix_spawnattr_setsigdefault(&attributes, &ours);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, stdin_of_agent.get(), STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, words[0].c_str(), &files, &attributes, pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return errno_status(error, "start " + words[0]);
  return pid;
}

}  // namespace muster
