// What travels between a viewer and a guest: a program that `exec` runs beside a rank. The same frames go from the viewer to the
// controller (one stream per guest) and over the link of the rank's agent (all guests of a node, told apart by `id`).
//
// Bytes of either direction are sent ahead of what the other end has taken by at most kGuestWindow, so that a guest that floods,
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

constexpr size_t kGuestWindow = 256 << 10;  // of each stream: bytes that nobody has said to have taken
constexpr size_t kGuestChunk = 32 << 10;    // the most bytes of one frame

// Of a guest with a terminal only `in` and `out` are used.
enum class GuestStream { in, out, err };

// The first frame of a guest, from its viewer.
struct GuestStart {
  std::string job;     // as the user names it; empty on the link
  uint32_t index = 0;  // the rank, into the plan
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // over the rank's own
  std::string workdir;                             // empty: the rank's; a relative one begins there
  bool tty = false;
  uint16_t rows = 0;  // of the viewer's terminal; 0: unknown
  uint16_t columns = 0;
  bool operator==(const GuestStart&) const = default;
};

// Viewer → guest of `in`, guest → viewer of the others.
struct GuestBytes {
  GuestStream stream = GuestStream::in;
  std::string bytes;
  bool end = false;  // none follow
  bool operator==(const GuestBytes&) const = default;
};

// The receiver of a stream has passed on so many bytes more.
struct GuestTaken {
  GuestStream stream = GuestStream::in;
  uint64_t bytes = 0;
  bool operator==(const GuestTaken&) const = default;
};

struct GuestResize {
  uint16_t rows = 0;
  uint16_t columns = 0;
  bool operator==(const GuestResize&) const = default;
};

// To the guest's process group.
struct GuestSignal {
  int number = 0;
  bool operator==(const GuestSignal&) const = default;
};

// The viewer has left: SIGHUP, then SIGKILL. With id 0: every guest of the node.
struct GuestLeave {
  bool operator==(const GuestLeave&) const = default;
};

// The last frame of a guest, from its agent, or from who could not reach one.
struct GuestEnd {
  std::optional<ExitStatus> exit;  // nothing: it was never started, or nobody knows how it ended
  int code = 0;                    // of Code: why it was not started …
  std::string why;                 // … or was ended by us, a sentence; empty: it ended by itself
  bool operator==(const GuestEnd&) const = default;
};

struct GuestFrame {
  uint64_t id = 0;  // on the link
  std::variant<GuestStart, GuestBytes, GuestTaken, GuestResize, GuestSignal, GuestLeave, GuestEnd> part;
  bool operator==(const GuestFrame&) const = default;
};

}  // namespace muster
