// SPDX-License-Identifier: Apache-2.0
// NodeService: a service that an agent runs on its node for the ranks of its job: a torch store, a process from which ranks are
// forked, a server, a helper program. It starts before the ranks of an attempt and stops before the next attempt begins or the agent
// leaves. Ranks of other nodes may use it until then, so it does not stop when the ranks of its own node have ended.
//
// A service makes no decisions about ranks. An object serves one agent and is destroyed with it. State for the next job (imports)
// belongs to the composition root. A service that needs a process starts it with ProcessHost::spawn. Loop thread only.
//
// To add one: write the class in core/node/NAME, add it to the list in launcher/composition/agent.cc, and let its framework name it
// and the number of its ports (core/framework). The agent does not change.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/node_ports.h"
#include "core/port/agent_messages.h"
#include "core/port/process_host.h"

namespace muster {

// Calls the rendezvous of the attempt as the first rank of this node. `answer` runs once, in this call or in a later turn; its status
// is unavailable if the link to the coordinator was lost: call again. Copies may be kept; they have no effect after the attempt.
using ServiceRendezvous =
    std::function<void(const RendezvousCall& call, std::function<void(const RendezvousAnswer&)> answer)>;

// An attempt, as a service sees it at its start. Valid until start() returns.
struct ServiceStart {
  const Bind& bind;
  const DesiredState& desired;  // of the attempt; its tasks may name other paths on this node
  const NodePorts& ports;       // leased for this attempt
  // The spawn requests of all ranks of this node, with the variables of the earlier services. A rank whose process continues from
  // the previous attempt has one too, but is not spawned.
  const std::function<std::vector<SpawnRequest>()>& ranks;
  const ServiceRendezvous& rendezvous;
};

// The events of a service, for its agent. None has an effect after stop() has returned.
struct ServiceEvents {
  std::function<void()> next;   // not ready yet, but the next service may start; it gets no gift of this one
  std::function<void()> ready;  // the ranks may start
  std::function<void(const std::string& why)> failed;    // before `ready`: no rank starts; after it: all ranks end
  std::function<void(const std::string& what)> trouble;  // a sentence for the user; nothing ends
  std::function<void()> changed;                         // the result of tell() or stopped() has changed
  std::function<void(uint32_t index)> kill;              // the rank has asked for its end; fault() then says why
};

// The variables and the descriptor that a service gives to a rank.
struct RankGift {
  std::map<std::string, std::string> environment;  // does not override variables of its task or its user
  int descriptor = -1;                             // SpawnRequest::passed; it stays open until stop(). -1: none
};

// Why a rank has failed, as a service knows it.
struct RankFault {
  std::string why;     // empty: the service knows nothing
  int code = 1;        // the exit code if the rank exited with 0; not 0
  bool exact = false;  // `code` is the exit code, however the rank ended
  // The code that a shell shows for the argument of MPI_Abort: its low eight bits, but not 0.
  static int of_abort(int code) { return (code & 0xff) == 0 ? 1 : code & 0xff; }
};

// The reason why a service cannot put a file beside the output of the node's first rank: SpawnRequest::stdout_path is empty.
constexpr const char* kNoPlace = "the folder of the ranks' output cannot be used";

class NodeService {
 public:
  virtual ~NodeService() = default;

  // Its name in Bind::ports and Report::ports: "store".
  virtual std::string name() const = 0;

  // Takes the ports that are leased for the next attempt, before they are reported. Called when the agent is bound, and after each
  // begin of an attempt. On failure the agent leases other ports and calls it again: a program without leases uses one of these.
  virtual Status reserve(const Bind& bind, const NodePorts& ports) = 0;

  // An attempt begins. `ready` or `failed` follows once, in this call or in a later turn.
  virtual void start(const ServiceStart& start, ServiceEvents events) = 0;

  // Once ready: what a rank gets. At most one service gives a descriptor.
  virtual RankGift gift(uint32_t index) const = 0;

  // A rank has ended by itself: the reason of its failure, if the service knows it. It has then failed even if it exited with 0.
  virtual RankFault fault(uint32_t index, const ExitStatus& exit) = 0;

  // Ends the service of the attempt. May be called repeatedly, also before any start.
  virtual void stop() = 0;
  // True if nothing of the attempt is left, processes included.
  virtual bool stopped() const = 0;

  // Fills the fields of a report that only this service knows (Report::met, Report::importing).
  virtual void tell(Report& report) = 0;
};

// The services of one agent, in start order: each starts when the one before is ready, or calls `next`. They all stop at the same
// time.
using NodeServiceList = std::vector<std::unique_ptr<NodeService>>;
using NodeServiceFactory = std::function<NodeServiceList()>;

}  // namespace muster
