// Transport: what carries a communicator's calls, Gloo or NCCL. It knows ranks by number, and neither the store nor
// sentences.
#pragma once

#include <optional>
#include <string>

#include "core/worker/collective/call.h"

namespace muster::worker {

// Why a transport could not do its part.
struct Broken {
  enum class Why { interrupted, peer_gone, failed };
  Why why = Why::failed;
  int peer = -1;  // of the communicator; -1: none in particular
  std::string text;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual Backend backend() const = 0;
  // Gloo: returns when the result is there. NCCL: when it is on the stream. A thread at a time.
  virtual std::optional<Broken> run(const Call& call, const void* in, void* out) = 0;
  // Returns when all that is on the stream is done.
  virtual std::optional<Broken> synchronize() = 0;
  // Makes what is under way, and all that follows, end with `interrupted`. Any thread; does not wait.
  virtual void interrupt() = 0;
  // Ends the connections, so that peers see it. The thread of run().
  virtual void close() = 0;
  // The attempt is over: ends what would wait for peers even outside of our calls (kernels on a stream). Any thread;
  // only the destructor may follow.
  virtual void abandon() {}
};

}  // namespace muster::worker
