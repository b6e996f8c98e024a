// What WorkerSocket keeps of a connection, and its frames. Internal to it.
#pragma once

#include <optional>

#include "core/system/posix/unique_fd.h"
#include "core/wire/worker/worker_lane.h"
#include "core/wire/worker/worker_socket.h"

namespace muster {

namespace wire {
class WorkerReply;
}

constexpr size_t kHeader = 4;
constexpr uint32_t kLongestFrame = 4 << 20;

void append_frame(std::string& out, const wire::WorkerReply& message);

// What a message says.
struct Heard {
  bool understood = false;  // else it is no message
  WorkerCall call;
  Status trouble;                // what of the call is not known here
  std::optional<uint32_t> lane;  // it is no call: a lane of this layout is wanted
};
Heard hear(std::string_view message);

struct WorkerSocket::Connection {
  uint64_t number = 0;
  int fd = -1;
  std::string in;
  std::string out;
  bool busy = false;     // a call is under way
  bool in_lane = false;  // which came through the lane
  bool is_new = true;    // nothing of it was read
  std::unique_ptr<LoopWatch> reading;
  std::unique_ptr<WorkerLane> lane;  // once it was asked for
  bool awake = false;                // its lane is looked at
  UniqueFd write_fd;                 // while there is more to send than goes at once
  std::unique_ptr<LoopWatch> writing;

  ~Connection() {
    reading.reset();
    writing.reset();
    if (fd >= 0) close(fd);
  }
};

}  // namespace muster
