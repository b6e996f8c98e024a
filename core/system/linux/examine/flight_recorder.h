// Asks the flight recorder of a torch rank how far the rank is in its collectives. There are two ways, both of torch and both only where
// a variable of the rank says so:
//
//  - TORCH_NCCL_DEBUG_INFO_PIPE_FILE: a pipe that its NCCL process group reads each second; it answers with a file.
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

// A process's own number and the variables that it was started with.
struct RecordedProcess {
  pid_t pid = 0;
  std::map<std::string, std::string> environment;
};

class FlightRecorder {
 public:
  // Asks by the pipe, unless the process is stopped: it would answer once it goes on. `patience`: how long from now its answer is
  // waited for. Any thread; the files may be slow.
  explicit FlightRecorder(RecordedProcess process, std::chrono::milliseconds patience = std::chrono::seconds(3));

  // Any thread; blocks until there is an answer, until the patience ends, and where a server is asked three seconds at the most. What
  // came by the pipe is taken however late this is.
  std::optional<std::vector<CollectiveProgress>> answer() const;

 private:
  std::string file_of_dump() const;
  std::optional<std::vector<CollectiveProgress>> dumped() const;
  std::optional<std::vector<CollectiveProgress>> served() const;
  std::string variable(const std::string& name) const;

  RecordedProcess process_;
  std::chrono::steady_clock::time_point end_;  // of waiting for what was asked by the pipe
  std::string dump_;                           // where it will be; empty: nobody reads the pipe
  std::string before_;                         // what marked the file before it was asked for
};

}  // namespace muster
