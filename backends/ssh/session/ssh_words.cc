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
  std::string_view next;  // $ is the host
  bool asks;
  bool passes;
};

// The first that fits.
constexpr std::array<Known, 13> kKnown = {{
    {"REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key is another than the one known here",
     "if that is right: ssh-keygen -R the name that ssh tells, then ssh $", false, false},
    {"Host key verification failed", "its host key is not known here", "compare it and say yes: ssh $", true, false},
    {"No matching host key", "its host key is not known here", "ssh $", true, false},
    {"Permission denied", "it does not let us in", "ssh $ shows which keys it tried; ssh-add -l, which there are", true,
     false},
    {"Too many authentication failures", "it was offered too many keys", "name one with IdentityFile in ~/.ssh/config",
     false, false},
    {"Could not resolve hostname", "nobody knows that name", "a name of ~/.ssh/config, or one that getent hosts finds",
     false, false},
    {"Connection refused", "nobody listens there for ssh", "is its sshd running, and on this port? ssh -v $", false,
     true},
    {"timed out", "it does not answer", "is it up, and does a firewall let ssh through? ssh -v $", false, true},
    {"No route to host", "there is no route to it", "ssh -v $", false, true},
    {"Network is unreachable", "its network cannot be reached from here", "ssh -v $", false, true},
    {"kex_exchange_identification", "its sshd hung up before it said hello, as one does that is asked too often",
     "try again; MaxStartups in its sshd_config is how many may knock at once", false, true},
    {"Connection reset by", "it broke the connection off", "ssh -v $", false, true},
    {"Connection closed by", "it closed the connection", "ssh -v $", false, true},
}};

}  // namespace

std::vector<std::string> ssh_arguments(const std::string& host, bool may_ask, const std::string& socket) {
  std::vector<std::string> words{"-T"};
  const auto option = [&](const std::string& text) { words.insert(words.end(), {"-o", text}); };
  option(std::string("BatchMode=") + (may_ask ? "no" : "yes"));
  option("ConnectTimeout=10");
  // A connection that is dead holds up all sessions that go through it.
  option("ServerAliveInterval=5");
  option("ServerAliveCountMax=3");
  const std::vector<std::string> shared = sharing_options(socket);
  words.insert(words.end(), shared.begin(), shared.end());
  // What a configuration may say for people's sessions is nothing for ours.
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
  if (code == 127)
    return {"its login shell finds no `sh`" + (said.empty() ? "" : ": " + said), "ssh " + host + " sh", false};
  return {"its shell ended with code " + std::to_string(code) + (said.empty() ? "" : ": " + said),
          "printf 'echo here' | ssh " + host + " sh", false};
}

}  // namespace muster::ssh
