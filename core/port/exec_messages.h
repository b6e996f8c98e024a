// What travels between a viewer and a exec: a program that `exec` runs beside a rank. The same frames go from the viewer to the
// controller (one stream per exec) and over the link of the rank's agent (all execs of a node, told apart by `id`).
//
// Bytes of either direction are sent ahead of what the other end has taken by at most kExecWindow, so that a exec that floods,
// or a viewer that does not read, costs that much memory at each stop on the way, and no beat.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/job/exit_status.h"

namespace muster {

constexpr size_t kExecWindow = 256 << 10;  // of each stream: bytes that nobody has said to have taken
constexpr size_t kExecChunk = 32 << 10;    // the most bytes of one frame

// Of a exec with a terminal only `in` and `out` are used.
enum class ExecStream { in, out, err };

// The first frame of a exec, from its viewer.
struct ExecStart {
  std::string job;     // as the user names it; empty on the link
  uint32_t index = 0;  // the rank, into the plan
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // over the rank's own
  std::string workdir;                             // empty: the rank's; a relative one begins there
  bool tty = false;
  uint16_t rows = 0;  // of the viewer's terminal; 0: unknown
  uint16_t columns = 0;
  bool operator==(const ExecStart&) const = default;
};

// Viewer → exec of `in`, exec → viewer of the others.
struct ExecBytes {
  ExecStream stream = ExecStream::in;
  std::string bytes;
  bool end = false;  // none follow
  bool operator==(const ExecBytes&) const = default;
};

// The receiver of a stream has passed on so many bytes more.
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

// To the exec's process group.
struct ExecSignal {
  int number = 0;
  bool operator==(const ExecSignal&) const = default;
};

// The viewer has left: SIGHUP, then SIGKILL. With id 0: every exec of the node.
struct ExecLeave {
  bool operator==(const ExecLeave&) const = default;
};

// The last frame of a exec, from its agent, or from who could not reach one.
struct ExecEnd {
  std::optional<ExitStatus> exit;  // nothing: it was never started, or nobody knows how it ended
  int code = 0;                    // of Code: why it was not started …
  std::string why;                 // … or was ended by us, a sentence; empty: it ended by itself
  bool operator==(const ExecEnd&) const = default;
};

struct ExecFrame {
  uint64_t id = 0;  // on the link
  std::variant<ExecStart, ExecBytes, ExecTaken, ExecResize, ExecSignal, ExecLeave, ExecEnd> part;
  bool operator==(const ExecFrame&) const = default;
};

}  // namespace muster
