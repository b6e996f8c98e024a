// What WorkerSocket keeps of a connection, and its frames. Internal to it.
#pragma once

#include "core/system/posix/unique_fd.h"
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
  bool understood = false;  // false: the bytes are no message
  WorkerCall call;
  Status trouble;  // of a call that this agent does not know
};
Heard hear(std::string_view message);

struct WorkerSocket::Connection {
  uint64_t number = 0;
  int fd = -1;
  std::string in;
  std::string out;
  bool busy = false;   // a call is under way
  bool is_new = true;  // nothing has been read from it yet
  std::unique_ptr<LoopWatch> reading;
  UniqueFd write_fd;  // while there is more to send than goes at once
  std::unique_ptr<LoopWatch> writing;

  ~Connection() {
    reading.reset();
    writing.reset();
    if (fd >= 0) close(fd);
  }
};

}  // namespace muster
