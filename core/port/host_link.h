// HostLinks: what a backend asks of hosts that are reached over ssh: that a program of muster runs there, whose stdin and
// stdout carry an agent's link to this process. It asks nobody anything: where ssh would ask a person, it fails and says so.
// Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/job/code_order.h"
#include "core/job/plan/claim.h"

namespace muster {

struct HostCall {
  std::string host;                                // what ssh is given
  std::map<std::string, std::string> environment;  // of the submitting shell: ssh's agent, tickets, folders
  std::vector<std::string> words;                  // what muster is called with there: a-z, 0-9 and - only
  std::string peer;                                // whoever comes over this link is known by it (ArrivedAgent::peer)
};

struct HostTrouble {
  std::string sentence;  // "its host key is not known here"
  std::string next;      // what to type; may be empty
  bool asks = false;     // somebody at a terminal could answer what ssh asked
  bool passes = false;   // it may be gone by itself in a moment
};

// "its host key is not known here; ssh a1"
inline std::string sentence_of(const HostTrouble& trouble) {
  return trouble.sentence + (trouble.next.empty() ? "" : "; " + trouble.next);
}

struct HostLinkEnd {
  int code = 0;      // of the program there; 255: ssh's own
  std::string said;  // the last line it said; may be empty
};

class HostLink {
 public:
  virtual ~HostLink() = default;
};

class HostLinks {
 public:
  struct Handlers {
    std::function<void()> arrived;                   // once: the program runs there
    std::function<void(const HostLinkEnd&)> ended;   // once, after `arrived`
    std::function<void(const HostTrouble&)> failed;  // once, instead of both
  };
  virtual ~HostLinks() = default;
  // Handlers run in later turns, and not once the link was destroyed, which ends the program; not from within one of them.
  virtual std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) = 0;

  // Who has some of the host now. `seen` runs once.
  using Seen = std::function<void(const Result<std::vector<Holder>>&)>;
  virtual std::unique_ptr<HostLink> look(const HostCall& call, Seen seen) = 0;

  // The job's code, which has to be on the host before its agent. `done` runs once: nothing, or why it is not there.
  using Delivered = std::function<void(const std::optional<HostTrouble>&)>;
  virtual std::unique_ptr<HostLink> deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                            Delivered done) = 0;
};

// How `muster relay` on a host ends.
constexpr int kRelayAgentLeft = 0;     // its agent has ended in order: nothing of it lives
constexpr int kRelayAgentDied = 20;    // it was killed, or failed: nothing of it lives; its last line says how
constexpr int kRelayNothingHere = 21;  // no agent of that name lives here
constexpr int kRelayHungUp = 22;       // the agent lives, and comes again to the next relay
constexpr int kRelayFailed = 23;       // there is no telling; its last line says why

}  // namespace muster
