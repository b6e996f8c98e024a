// Meeting: what communicators need of their attempt: the rank's member, keys and fences, and notice that a peer is gone. The
// socket to the agent implements it (client/rank_context.h), and so do the threads of a test. Any thread.
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
  // Numeric; this rank's sockets are bound to it, and its peers reach them there.
  virtual std::string address() const = 0;
};

// Keys and fences that all ranks of the attempt share.
class AttemptStore {
 public:
  virtual ~AttemptStore() = default;
  virtual Status set(const std::string& key, const std::string& value) = 0;
  // not_found: no rank has set it.
  virtual Result<std::string> get(const std::string& key) = 0;
  // If that fails, the key stays until the attempt ends.
  virtual void remove(const std::string& key) = 0;
  // 0: as long as the attempt lasts.
  virtual Result<std::string> wait(const std::string& key, Duration timeout) = 0;
  // Each of `ranks` (of the world, sorted; empty: all) leaves a value and gets all, in the order of ranks.
  virtual Result<std::vector<std::string>> fence(const std::string& name, const std::string& value,
                                                 const std::vector<uint32_t>& ranks, Duration timeout) = 0;
};

class AttemptHealth {
 public:
  virtual ~AttemptHealth() = default;
  // Why the attempt cannot continue ("rank 3 on node-b was killed by SIGSEGV"). Empty: it can, as far as is known after
  // `patience`.
  virtual std::string broken(Duration patience) = 0;
  // `tell` runs once when the attempt cannot continue, on a thread of the implementation; at once if that is known
  // already. Returns a number for forget(), after which `tell` neither runs nor is running.
  virtual uint64_t on_broken(std::function<void(const std::string& why)> tell) = 0;
  virtual void forget(uint64_t number) = 0;
};

class Meeting : public RankMember, public AttemptStore, public AttemptHealth {
 public:
  ~Meeting() override = default;
};

}  // namespace muster::worker
