// SPDX-License-Identifier: Apache-2.0
// Connection: a UNIX socket to the agent, for one call at a time. Blocking; one thread at a time.
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

  // unavailable: no agent listens there. Other errors are those of connect(2).
  static Result<Connection> open(const std::string& path);
  Connection(Connection&& other) noexcept : fd_(other.fd_.exchange(-1)) {}
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  // Sends a frame and waits for its answer, at most `patience`; if the answer arrives in pieces, the rest may take as
  // long again. 0 means no limit. polls: poll the socket for 20 µs before blocking; only for calls that the agent
  // answers at once. After a failure (unavailable, deadline_exceeded, data_loss) the connection cannot be used again.
  Result<Reply> call(const std::string& frame, Duration patience, bool polls = false);
  // From another thread: ends the call in progress.
  void interrupt();

 private:
  explicit Connection(int fd) : fd_(fd) {}
  Status send_all(std::string_view bytes);
  // Polls for 20 µs; returns the number of bytes received, at most `most`.
  size_t poll_briefly(char* bytes, size_t most);
  // Receives at least `least` bytes, and up to `most` if they have already arrived; returns the number.
  Result<size_t> receive(char* bytes, size_t least, size_t most, Duration patience);

  // Reads the rest of the answer that begins with the first `got` bytes of `start` (a buffer of kUsualAnswer bytes).
  Result<Reply> answer(char* start, size_t got, Duration patience);

  std::atomic<int> fd_;
};

}  // namespace muster::worker
