// SPDX-License-Identifier: Apache-2.0
// RankStoreHost: opens torch stores: TCPStore servers that the agent runs instead of a rank. Each attempt has its own
// store, so no rank reads keys of an earlier attempt.
//
// Called from the loop thread; implementations may serve from other threads.
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

// An open store. Destroying the object closes its connections and drops its keys.
class RankStore {
 public:
  virtual ~RankStore() = default;

  // Sets the numeric addresses that may connect; before this call all clients wait. Loopback is always admitted, but only
  // for processes of our user or root.
  virtual void admit(const std::vector<std::string>& addresses) = 0;

  // met_since(): the time since `clients` clients had connected; nullopt: fewer have, or expect() was not called.
  virtual void expect(uint32_t /*clients*/) {}
  virtual std::optional<Duration> met_since() const { return std::nullopt; }

  // The next problem to report, each once: an exceeded limit, a refused client. The text continues the sentence
  // "the torch store on node-a …".
  virtual std::optional<std::string> next_trouble() { return std::nullopt; }
};

class RankStoreHost {
 public:
  virtual ~RankStoreHost() = default;

  // Opens an empty store that listens at `here`. unavailable: the port is taken; invalid_argument: not an address of this
  // machine.
  virtual Result<std::unique_ptr<RankStore>> open(const Endpoint& here) = 0;

  // Opens a store proxy at `here` for the clients of this node. It forwards their requests to the store at `there`.
  virtual Result<std::unique_ptr<RankStore>> open_proxy(const Endpoint& here, const Endpoint& there) = 0;
};

}  // namespace muster
