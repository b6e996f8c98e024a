// Connection: one UNIX socket to the agent, one call at a time. Blocking; one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "core/worker/client/frames.h"

namespace muster::worker {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  // unavailable: nobody listens there; permission_denied …: the system's word.
  static Result<Connection> open(const std::string& path);
  Connection(Connection&& other) noexcept : fd_(other.fd_.exchange(-1)) {}
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  // Sends a frame and waits for its answer, at most `patience`, anew for the rest of one that comes in pieces; 0: as
  // long as it takes. looks: some microseconds of a CPU first, then asleep. After a failure (unavailable,
  // deadline_exceeded, data_loss) the connection is of no more use.
  Result<Reply> call(const std::string& frame, Duration patience, bool looks = false);
  // From another thread: ends a call under way.
  void interrupt();

 private:
  explicit Connection(int fd) : fd_(fd) {}
  Status send_all(const std::string& bytes);
  // What comes within some microseconds, up to `most`: how many bytes.
  size_t look(char* bytes, size_t most);
  // At least `least` bytes and, where they are there already, up to `most`: how many.
  Result<size_t> receive(char* bytes, size_t least, size_t most, Duration patience);

  std::atomic<int> fd_;
};

}  // namespace muster::worker
