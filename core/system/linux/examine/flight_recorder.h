// SPDX-License-Identifier: Apache-2.0
// Asks the flight recorder of a torch rank for the rank's progress in its collectives. There are two ways; torch enables each by
// an environment variable of the rank:
//
//  - TORCH_NCCL_DEBUG_INFO_PIPE_FILE: a pipe that torch's NCCL process group reads each second; torch answers with a file.
//  - TORCH_WORKER_SERVER_SOCKET: a server on a UNIX socket, in programs that use torch.distributed.elastic.control_plane.worker_main.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/rank/collective_progress.h"

namespace muster {

// A pid, and the environment variables with which the process was started.
struct RecordedProcess {
  pid_t pid = 0;
  std::map<std::string, std::string> environment;
};

class FlightRecorder {
 public:
  // Asks through the pipe, unless the process is stopped: it would answer when it continues. `patience`: how long to wait for this
  // answer, from now on. Any thread; the files may be slow.
  explicit FlightRecorder(RecordedProcess process, std::chrono::milliseconds patience = std::chrono::seconds(3));

  // Blocks until there is an answer or `patience` has passed; a server is given up to three seconds more. An answer through the
  // pipe is read even after that time. Any thread.
  std::optional<std::vector<CollectiveProgress>> answer() const;

 private:
  std::string file_of_dump() const;
  std::optional<std::vector<CollectiveProgress>> dumped() const;
  std::optional<std::vector<CollectiveProgress>> served() const;
  std::string variable(const std::string& name) const;

  RecordedProcess process_;
  std::chrono::steady_clock::time_point end_;  // when waiting for the answer to the pipe ends
  std::string dump_;                           // path of the answer to the pipe; empty: no process reads the pipe
  std::string before_;                         // the file's state before the request
};

}  // namespace muster
