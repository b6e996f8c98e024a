// SPDX-License-Identifier: Apache-2.0
// The frames between a viewer and its exec process, a program that `exec` runs beside a rank. They go from the viewer to the
// controller (one stream per exec process) and over the link of the rank's agent (all exec processes of a node, with an `id`). A rank
// may be a viewer too: its agent and the coordinator pass its frames on (PeerExec).
//
// In each direction at most kExecWindow bytes are sent that the receiver has not acknowledged. So a flooding exec process, or a
// viewer that does not read, costs that much memory at each hop, and delays no heartbeat.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/job/exit_status.h"

namespace muster {

constexpr size_t kExecWindow = 256 << 10;  // unacknowledged bytes of each stream
constexpr size_t kExecChunk = 32 << 10;    // maximum bytes of one frame

// ExecEnd::why if the rank's agent has not started it.
constexpr std::string_view kRankNotStarted = "the rank has not started yet";

// With a terminal, only `in` and `out` are used.
enum class ExecStream { in, out, err };

// The first frame, from the viewer.
struct ExecStart {
  std::string job;     // as the user names it; empty on the link
  uint32_t index = 0;  // the rank, into the plan
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // over the rank's own
  std::string workdir;                             // empty: the rank's; a relative one begins there
  bool tty = false;
  uint16_t rows = 0;  // of the viewer's terminal; 0: unknown
  uint16_t columns = 0;
  bool own_program = false;    // `argv` are arguments of muster's own program, as the agent of the rank has it
  bool whole_node = false;     // it has the CPUs, GPUs and memory of all ranks of that node, not only those of the rank
  Attempt attempt = 0;         // of the rank; in another one the program is not started. 0: in any
  Attempt viewer_attempt = 0;  // of the rank that is the viewer; 0: the viewer is no rank
  bool operator==(const ExecStart&) const = default;
};

// From the viewer for `in`, from the exec process for the others.
struct ExecBytes {
  ExecStream stream = ExecStream::in;
  std::string bytes;
  bool end = false;  // the last bytes of the stream
  bool operator==(const ExecBytes&) const = default;
};

// Acknowledgement: the receiver of a stream has passed on `bytes` more bytes.
struct ExecTaken {
  ExecStream stream = ExecStream::in;
  uint64_t bytes = 0;
  bool operator==(const ExecTaken&) const = default;
};

struct ExecResize {
  uint16_t rows = 0;
  uint16_t columns = 0;
  bool operator==(const ExecResize&) const = default;
};

// Sent to the process group of the exec process.
struct ExecSignal {
  int number = 0;
  bool operator==(const ExecSignal&) const = default;
};

// The viewer has left: SIGHUP, then SIGKILL; with ExecStart::whole_node only SIGTERM, if the viewer is not only `lost`. With id 0: for every
// exec process of the node, whose viewers are lost.
struct ExecLeave {
  bool lost = false;  // a link was lost; the viewer may be there, and may start the program again
  bool operator==(const ExecLeave&) const = default;
};

// The last frame, from the agent, or from a hop that could not reach the agent.
struct ExecEnd {
  std::optional<ExitStatus> exit;  // nothing: it was never started, or its exit is unknown
  int code = 0;                    // a Code, if it was not started or muster ended it
  std::string why;                 // the sentence for `code`; empty: it ended by itself
  bool operator==(const ExecEnd&) const = default;
};

struct ExecFrame {
  uint64_t id = 0;  // on the link
  std::variant<ExecStart, ExecBytes, ExecTaken, ExecResize, ExecSignal, ExecLeave, ExecEnd> part;
  bool operator==(const ExecFrame&) const = default;
};

}  // namespace muster
