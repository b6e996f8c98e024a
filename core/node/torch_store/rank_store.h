// RankStoreHost: the stores in which the ranks of a torch program meet (TCPStore's protocol), served by the agent
// instead of a rank. One store lives for one attempt, so that nobody reads what an earlier attempt left.
//
// Called from the loop thread; implementations may serve from a thread of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/port/store_endpoint.h"

namespace muster {

// Ends with the object: its connections are closed and its keys are gone.
class RankStore {
 public:
  virtual ~RankStore() = default;

  // Who may connect, by numeric address; before this everybody waits. A client on a loopback address, whether named
  // here or not, must be a process of our user (or root).
  virtual void admit(const std::vector<std::string>& addresses) = 0;

  // How long ago as many clients had come as `expect` said; nothing: they have not, or nobody said.
  virtual void expect(uint32_t /*clients*/) {}
  virtual std::optional<Duration> met_since() const { return std::nullopt; }

  // What people should know of it, each once: a limit that was broken, a client that was refused. Goes on where
  // "the ranks' store on node-a" ended.
  virtual std::optional<std::string> next_trouble() { return std::nullopt; }
};

class RankStoreHost {
 public:
  virtual ~RankStoreHost() = default;

  // An empty store that listens at `here`. unavailable: the port is taken; invalid_argument: the address is not one of
  // this machine.
  virtual Result<std::unique_ptr<RankStore>> open(const Endpoint& here) = 0;

  // A front end at `here` for the clients of this node: it speaks to `there` for all of them over few connections.
  virtual Result<std::unique_ptr<RankStore>> open_proxy(const Endpoint& here, const Endpoint& there) = 0;
};

}  // namespace muster
