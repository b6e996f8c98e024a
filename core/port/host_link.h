// SPDX-License-Identifier: Apache-2.0
// HostLinks: starts a muster program on a host over ssh. The program's stdin and stdout carry an agent's link to this process. If
// ssh would prompt a person, the call fails and says so. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/job/code_order.h"
#include "core/job/plan/claim.h"

namespace muster {

struct HostCall {
  std::string host;                                // the argument of ssh
  std::map<std::string, std::string> environment;  // of the submitting shell: ssh agent, tickets, folders
  std::vector<std::string> words;                  // arguments of muster on the host: a-z, 0-9 and - only
  std::string peer;                                // ArrivedAgent::peer of the agent that connects over this link
};

struct HostTrouble {
  std::string sentence;  // "its host key is not in known_hosts"
  std::string next;      // the command to type; may be empty
  bool asks = false;     // ssh prompted; a person at a terminal could answer
  bool passes = false;   // the problem may be temporary
};

// "its host key is not in known_hosts; ssh a1"
inline std::string sentence_of(const HostTrouble& trouble) {
  return trouble.sentence + (trouble.next.empty() ? "" : "; " + trouble.next);
}

struct HostLinkEnd {
  int code = 0;      // exit code of the program; 255: of ssh itself
  std::string said;  // its last line on stderr; may be empty
};

class HostLink {
 public:
  virtual ~HostLink() = default;
};

class HostLinks {
 public:
  struct Handlers {
    std::function<void()> arrived;                   // once: the program runs on the host
    std::function<void(const HostLinkEnd&)> ended;   // once, after `arrived`
    std::function<void(const HostTrouble&)> failed;  // once, instead of both
    // Between `arrived` and `ended`: a signal such as SIGSTOP has stopped the agent with this pid, or it was continued (nullopt). May be
    // empty.
    std::function<void(std::optional<int64_t> pid)> stopped = {};
  };
  virtual ~HostLinks() = default;
  // Handlers run in later turns, and not after the link was destroyed. Destroying the link ends the program; do not destroy it in
  // a handler.
  virtual std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) = 0;

  // Asks for the current holders of the host's devices. `seen` runs once.
  using Seen = std::function<void(const Result<std::vector<Holder>>&)>;
  virtual std::unique_ptr<HostLink> look(const HostCall& call, Seen seen) = 0;

  // Delivers the job's code, which must be on the host before the agent starts. `done` runs once, with the problem, if any.
  using Delivered = std::function<void(const std::optional<HostTrouble>&)>;
  virtual std::unique_ptr<HostLink> deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                            Delivered done) = 0;
};

// A line on stderr of `muster relay`: this and the pid of its agent, which a signal has stopped, or 0 when it was continued.
constexpr std::string_view kRelaySaysStopped = "muster relay: stopped agent ";

// Exit codes of `muster relay` on a host.
constexpr int kRelayAgentLeft = 0;     // its agent exited as requested: no process is alive
constexpr int kRelayAgentDied = 20;    // its agent was killed or failed: no process is alive; the last line says how
constexpr int kRelayNothingHere = 21;  // there is no agent of that name
constexpr int kRelayHungUp = 22;       // the agent is alive and reconnects through the next relay
constexpr int kRelayFailed = 23;       // the state of the agent is unknown; the last line says why
constexpr int kRelayWoke = 24;         // --wake: its agent was continued

}  // namespace muster
