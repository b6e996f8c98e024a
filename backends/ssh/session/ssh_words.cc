// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/ssh_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "backends/ssh/session/host_script.h"
#include "backends/ssh/session/shared_connection.h"
#include "core/base/text.h"

namespace muster::ssh {
namespace {

struct Known {
  std::string_view said;
  std::string_view sentence;
  std::string_view next;  // $ stands for the host
  bool asks;
  bool passes;
};

// The first match counts.
constexpr std::array<Known, 13> kKnown = {{
    {"REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key differs from the one in known_hosts",
     "if the change is expected, remove the old key with ssh-keygen -R, then ssh $", false, false},
    {"Host key verification failed", "its host key is not in known_hosts", "run ssh $, compare the key and answer yes",
     true, false},
    {"No matching host key", "its host key is not in known_hosts", "ssh $", true, false},
    {"Permission denied", "it refused the ssh login",
     "ssh -v $ shows which keys were tried; ssh-add -l lists the keys of your agent", true, false},
    {"Too many authentication failures", "it refused the ssh login, because ssh offered too many keys",
     "name its key in ~/.ssh/config: under Host $, the lines `IdentityFile ~/.ssh/KEY` and `IdentitiesOnly yes`. "
     "Without "
     "the second line, ssh offers all keys of your agent",
     false, false},
    {"Could not resolve hostname", "the host name cannot be resolved",
     "use a name from ~/.ssh/config or DNS; check it with getent hosts $", false, false},
    {"Connection refused", "the ssh connection was refused", "check that sshd runs there, and on which port: ssh -v $",
     false, true},
    {"timed out", "the ssh connection timed out", "check that it is up and that no firewall blocks ssh: ssh -v $",
     false, true},
    {"No route to host", "there is no route to the host", "ssh -v $", false, true},
    {"Network is unreachable", "its network is unreachable", "ssh -v $", false, true},
    {"kex_exchange_identification",
     "its sshd closed the connection at once; it may have too many logins at the same time",
     "try again, or raise MaxStartups in its sshd_config", false, true},
    {"Connection reset by", "it reset the connection", "ssh -v $", false, true},
    {"Connection closed by", "it closed the connection", "ssh -v $", false, true},
}};

}  // namespace

std::vector<std::string> ssh_arguments(const std::string& host, bool may_ask, const std::string& socket) {
  std::vector<std::string> words{"-T"};
  const auto option = [&](const std::string& text) { words.insert(words.end(), {"-o", text}); };
  option(std::string("BatchMode=") + (may_ask ? "no" : "yes"));
  option("ConnectTimeout=10");
  // A dead connection would block all sessions that share it.
  option("ServerAliveInterval=5");
  option("ServerAliveCountMax=3");
  const std::vector<std::string> shared = sharing_options(socket);
  words.insert(words.end(), shared.begin(), shared.end());
  // Settings of the user's configuration that are meant for interactive sessions.
  for (const char* off : {"ClearAllForwardings=yes", "ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no",
                          "RemoteCommand=none", "RequestTTY=no", "EscapeChar=none", "LogLevel=ERROR"})
    option(off);
  words.insert(words.end(), {"--", host, kRemoteShell});
  return words;
}

std::string failure_message(const std::string& errors) {
  const std::vector<std::string> lines = split(errors, '\n');
  const auto found = std::find_if(lines.rbegin(), lines.rend(),
                                  [](const std::string& line) { return line.find_first_not_of(" \t\r") != line.npos; });
  return found == lines.rend() ? "" : escaped(found->substr(0, found->find('\r')));
}

SshTrouble ssh_trouble(const std::string& host, int code, const std::string& errors) {
  for (const Known& known : kKnown) {
    if (code != kSshFailed || errors.find(known.said) == std::string::npos) continue;
    std::string next(known.next);
    for (size_t at = next.find('$'); at != std::string::npos; at = next.find('$', at + host.size()))
      next.replace(at, 1, host);
    return {std::string(known.sentence), next, known.asks, known.passes};
  }
  const std::string said = failure_message(errors);
  if (code == kSshFailed)
    return {"ssh failed" + (said.empty() ? "" : ": " + said), "ssh -v " + host, false, said.empty()};
  if (code == kNoSuchProgram)
    return {"its login shell cannot find `sh`" + (said.empty() ? "" : ": " + said), "ssh " + host + " sh", false};
  return {"its shell exited with code " + std::to_string(code) + (said.empty() ? "" : ": " + said),
          "printf 'echo here' | ssh " + host + " sh", false};
}

SshTrouble login_shell_ended(const std::string& host, int code, const std::string& said) {
  return {
      "its login shell ended with code " + std::to_string(code) + " before it ran a command" +
          (said.empty() ? "" : "; it printed: " + said),
      "look for `exit` or `exec` in the start-up files that a shell without a terminal reads: ~/.bashrc, ~/.zshenv, "
      "~/.cshrc or ~/.config/fish/config.fish, and ~/.ssh/rc. To test: ssh " +
          host + " echo here",
      false};
}

}  // namespace muster::ssh
