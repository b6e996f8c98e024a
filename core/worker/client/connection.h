// Connection: one UNIX socket to the agent, one call at a time. Blocking; one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

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

  // Sends a frame and waits for its answer, at most `patience`; if the answer arrives in pieces, the rest may take as
  // long again. 0 means no limit. looks: polls the socket for 20 µs before it blocks; only for calls that the agent
  // answers at once. After a failure (unavailable, deadline_exceeded, data_loss) the connection cannot be used again.
  Result<Reply> call(const std::string& frame, Duration patience, bool looks = false);
  // From another thread: ends the call in progress.
  void interrupt();

 private:
  explicit Connection(int fd) : fd_(fd) {}
  Status send_all(std::string_view bytes);
  // What comes within some microseconds, up to `most`: how many bytes.
  size_t look(char* bytes, size_t most);
  // At least `least` bytes and, where they are there already, up to `most`: how many.
  Result<size_t> receive(char* bytes, size_t least, size_t most, Duration patience);

  // The answer that begins with the first `got` bytes of `start`, which has room for kUsualAnswer.
  Result<Reply> answer(char* start, size_t got, Duration patience);

  std::atomic<int> fd_;
};

}  // namespace muster::worker
