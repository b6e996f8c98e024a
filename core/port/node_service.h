// NodeService: something that an agent runs on its node for the ranks of its job: a store in which they meet, a process from which
// they are forked, a server, a helper program. It starts before the ranks of an attempt and stops before the next attempt begins or
// the agent leaves. Ranks of other nodes may use it until then, so it does not stop when the ranks of its own node have ended.
//
// A service decides nothing about ranks. An object serves one agent and is destroyed with it; what it keeps for the next job
// (imports) belongs to the composition root. A service that needs a process starts it with ProcessHost::spawn. Loop thread only.
//
// Adding one: write the class in core/node/NAME, add it to the list in launcher/composition/agent.cc, and have its framework name it
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

// An attempt, as a service sees it at its start. Valid until start() returns.
struct ServiceStart {
  const Bind& bind;
  const DesiredState& desired;  // of the attempt; its tasks may name other paths on this node
  const NodePorts& ports;       // that are held for this attempt
  // The ranks that will be spawned, with the variables that earlier services gave them.
  const std::function<std::vector<SpawnRequest>()>& ranks;
};

// What a service tells its agent. Nothing is heard any more once stop() has returned.
struct ServiceEvents {
  std::function<void()> ready;                           // the ranks may start
  std::function<void(const std::string& why)> failed;    // instead of `ready`: no rank starts. Behind it: all ranks end
  std::function<void(const std::string& what)> trouble;  // a sentence that people should know; nothing ends
  std::function<void()> changed;                         // what tell() adds or stopped() differs
};

class NodeService {
 public:
  virtual ~NodeService() = default;

  // Names it in Bind::ports and Report::ports: "store".
  virtual std::string name() const = 0;

  // Takes the ports that are held for the next attempt, before anybody is told of them. Called when the agent is bound and after each
  // begin of an attempt. On failure the agent leases other ports and asks again: a program that leases none has one of these.
  virtual Status reserve(const Bind& bind, const NodePorts& ports) = 0;

  // An attempt begins. `ready` or `failed` follows once, in this call or in a later turn.
  virtual void start(const ServiceStart& start, ServiceEvents events) = 0;

  // Once ready: variables for a rank. What its task or its user already sets stays as it is.
  virtual std::map<std::string, std::string> environment(uint32_t index) const = 0;

  // Ends what the attempt had. Repeated freely, also before any start.
  virtual void stop() = 0;
  // Nothing of the attempt is left, no process either.
  virtual bool stopped() const = 0;

  // Adds to a report what only this service knows of the attempt (Report::met, Report::importing).
  virtual void tell(Report& report) = 0;
};

// The services of one agent, in the order in which they start: each starts when the one before is ready. A stop is for all at once.
using NodeServiceList = std::vector<std::unique_ptr<NodeService>>;
using NodeServiceFactory = std::function<NodeServiceList()>;

}  // namespace muster
