// Meeting: what communicators need of their attempt: a place, keys, fences, and to learn that a peer is gone. The
// socket to the agent is one (context.h), a test's threads are another. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace muster::worker {

class Meeting {
 public:
  virtual ~Meeting() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t world_size() const = 0;
  // Numeric; where this rank's sockets are bound, and where its peers reach them.
  virtual std::string address() const = 0;

  virtual Status set(const std::string& key, const std::string& value) = 0;
  // not_found: nobody has set it.
  virtual Result<std::string> get(const std::string& key) = 0;
  // Where that fails, the key stays until the attempt ends.
  virtual void remove(const std::string& key) = 0;
  // 0: as long as the attempt lasts.
  virtual Result<std::string> wait(const std::string& key, Duration timeout) = 0;
  // Each of `ranks` (of the world, sorted; empty: all) leaves a value and gets all, in the order of ranks.
  virtual Result<std::vector<std::string>> fence(const std::string& name, const std::string& value,
                                                 const std::vector<uint32_t>& ranks, Duration timeout) = 0;

  // Why the attempt cannot go on ("rank 3 on node-b was killed by SIGSEGV"); empty: it can, as far as is known after
  // `patience`.
  virtual std::string broken(Duration patience) = 0;
  // `tell` runs once when that is so, on a thread of the meeting's; at once when it is so already. Returns a number for
  // forget(), after which `tell` neither runs nor is running.
  virtual uint64_t on_broken(std::function<void(const std::string& why)> tell) = 0;
  virtual void forget(uint64_t number) = 0;
};

}  // namespace muster::worker
