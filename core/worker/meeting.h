// SPDX-License-Identifier: Apache-2.0
// Meeting: the interface of communicators to their attempt: the rank's identity, keys and fences, and notification of a
// failure. Implemented over the socket to the agent (client/rank_context.h), and by tests. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace muster::worker {

class RankMember {
 public:
  virtual ~RankMember() = default;
  virtual uint32_t rank() const = 0;
  virtual uint32_t world_size() const = 0;
  // The numeric address to which this rank binds its sockets and at which its peers reach them.
  virtual std::string address() const = 0;
};

// Keys and fences that all ranks of the attempt share.
class AttemptStore {
 public:
  virtual ~AttemptStore() = default;
  virtual Status set(const std::string& key, const std::string& value) = 0;
  // not_found: no rank has set it.
  virtual Result<std::string> get(const std::string& key) = 0;
  // Errors are ignored: the key then stays until the attempt ends.
  virtual void remove(const std::string& key) = 0;
  // Waits until the key is set. Timeout 0: until the attempt ends.
  virtual Result<std::string> wait(const std::string& key, Duration timeout) = 0;
  // Returns when each of `ranks` (of the world, sorted; empty: all) has called it; the values are in the order of `ranks`.
  virtual Result<std::vector<std::string>> fence(const std::string& name, const std::string& value,
                                                 const std::vector<uint32_t>& ranks, Duration timeout) = 0;
};

class AttemptHealth {
 public:
  virtual ~AttemptHealth() = default;
  // The reason why the attempt cannot continue ("rank 3 on node-b was killed by SIGSEGV"). Waits up to `patience` for one;
  // empty: none is known.
  virtual std::string broken(Duration patience) = 0;
  // Calls `tell` once when the attempt cannot continue, on a thread of the implementation; at once if that is already known.
  // Returns a number for forget(). After forget() returns, `tell` is not running and will not run.
  virtual uint64_t on_broken(std::function<void(const std::string& why)> tell) = 0;
  virtual void forget(uint64_t number) = 0;
};

class Meeting : public RankMember, public AttemptStore, public AttemptHealth {
 public:
  ~Meeting() override = default;
};

}  // namespace muster::worker
