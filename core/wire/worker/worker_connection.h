// SPDX-License-Identifier: Apache-2.0
// The connections of a WorkerSocket, and their frames. Internal to WorkerSocket.
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

// The result of parsing a message.
struct ParsedCall {
  bool valid = false;  // false: the bytes are no WorkerRequest
  WorkerCall call;
  Status trouble;  // not ok: this agent does not know the call
};
ParsedCall parse_call(std::string_view message);

struct WorkerSocket::Connection {
  uint64_t number = 0;
  int fd = -1;
  std::string in;
  std::string out;
  size_t counted = 0;  // its part of WorkerSocket::held_
  bool busy = false;   // a call waits for its answer
  bool is_new = true;  // nothing has been read from it yet
  std::unique_ptr<LoopWatch> reading;
  UniqueFd write_fd;  // set while the kernel cannot take all bytes
  std::unique_ptr<LoopWatch> writing;

  size_t held() const { return in.capacity() + out.capacity(); }

  ~Connection() {
    reading.reset();
    writing.reset();
    if (fd >= 0) close(fd);
  }
};

}  // namespace muster
