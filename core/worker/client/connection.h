// Connection: one UNIX socket to the agent, one call at a time. Blocking; one thread at a time.
//
// One that makes short calls again and again asks its agent for a lane, once: they go through it from then on, where
// they and their answers have room. An agent that has none to give is called by the socket for good.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/worker/client/frames.h"
#include "core/worker/client/lane.h"

namespace muster::worker {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  // unavailable: nobody listens there; permission_denied …: the system's word.
  static Result<Connection> open(const std::string& path);
  Connection(Connection&& other) noexcept
      : fd_(other.fd_.exchange(-1)),
        lane_(std::move(other.lane_)),
        short_calls_(other.short_calls_) {}
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  // Sends a frame and waits for its answer, at most `patience`, anew for the rest of one that comes in pieces; 0: as
  // long as it takes. After a failure (unavailable, deadline_exceeded, data_loss) the connection is of no more use.
  Result<Reply> call(const std::string& frame, Duration patience);
  // The same of a call that is answered at once. looks: some microseconds of a CPU first, then asleep.
  Result<Reply> short_call(const std::string& frame, Duration patience, bool looks);
  // From another thread: ends a call under way; one in the lane within a tenth of a second.
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
  Status ask_for_lane(Duration patience);
  Result<Reply> call_in_lane(std::string_view question, Duration patience, bool looks);

  std::atomic<int> fd_;
  std::unique_ptr<Lane> lane_;
  uint32_t short_calls_ = 0;  // until it asks for a lane
};

}  // namespace muster::worker
