// SPDX-License-Identifier: Apache-2.0
// Transport: the interface of Gloo and NCCL. It runs a communicator's calls. It identifies ranks by number and uses neither
// the store nor names for messages.
#pragma once

#include <optional>
#include <string>

#include "core/worker/collective/call.h"

namespace muster::worker {

// The reason why a transport failed.
struct Broken {
  enum class Why { interrupted, peer_gone, failed };
  Why why = Why::failed;
  int peer = -1;  // its rank in the communicator; -1: not known
  std::string text;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual Backend backend() const = 0;
  // Gloo: returns when the result is available. NCCL: returns when the call is on the stream. One thread at a time.
  virtual std::optional<Broken> run(const Call& call, const void* in, void* out) = 0;
  // Returns when all calls on the stream are done.
  virtual std::optional<Broken> synchronize() = 0;
  // Ends the call in progress and all later calls with `interrupted`. Any thread; does not wait.
  virtual void interrupt() = 0;
  // Closes the connections, which peers notice. The thread of run().
  virtual void close() = 0;
  // The attempt has ended: ends operations that wait for peers outside of calls (kernels on a stream). Any thread; only the
  // destructor may follow.
  virtual void abandon() {}
};

}  // namespace muster::worker
