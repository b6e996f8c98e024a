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

#include "core/model/collective_stand.h"

namespace muster {

// A process's own number and the variables that it was started with.
struct RecordedProcess {
  pid_t pid = 0;
  std::map<std::string, std::string> environment;
};

class FlightRecorder {
 public:
  // Asks by the pipe, if there is one; does not block.
  explicit FlightRecorder(RecordedProcess process);

  // Any thread; blocks until there is an answer, or until three seconds after it was asked.
  std::optional<std::vector<CollectiveStand>> answer() const;

 private:
  std::string file_of_dump() const;
  std::optional<std::vector<CollectiveStand>> dumped() const;
  std::optional<std::vector<CollectiveStand>> served() const;
  std::string variable(const std::string& name) const;

  RecordedProcess process_;
  std::chrono::steady_clock::time_point end_;
  std::string dump_;    // where it will be; empty: nobody reads the pipe
  std::string before_;  // what marked the file before it was asked for
};

}  // namespace muster
