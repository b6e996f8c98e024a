// ExecHost: runs programs beside the ranks of this machine, for people who look. A exec starts as its rank did, is a child of
// ours as the rank is, and whatever is left of it goes when the ranks' leftovers are swept (ProcessHost::sweep): it never outlives
// its rank's attempt.
//
// Loop thread only. Handlers run in turns of their own (`taken` perhaps within write()), never after the Exec's destruction,
// which hangs up; of the handlers only `ended` may destroy it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "core/port/exec_messages.h"
#include "core/port/process_host.h"

namespace muster {

struct ExecRequest {
  SpawnRequest spawn;        // its output paths are not used; with `tty` it leads a session with a terminal
  ProcessHandle beside = 0;  // the rank whose cgroup it shares, where there is one
  uint16_t rows = 0;         // of the terminal; 0: 24 and 80
  uint16_t columns = 0;
};

struct ExecHandlers {
  std::function<void(ExecStream stream, std::string_view bytes)> printed;  // at most kExecChunk at once
  std::function<void(ExecStream stream)> closed;                           // once each, of `out` and `err`
  std::function<void(size_t bytes)> taken;                                 // of what was written to it
  std::function<void(const ExitStatus& exit)> ended;                       // once, after both are closed
};

class Exec {
 public:
  virtual ~Exec() = default;
  // Queued without a bound: the caller keeps to a window. Dropped once the program reads no more, and then told as taken.
  virtual void write(std::string_view bytes) = 0;
  // After what is queued: end of file, or of a terminal the character that says so.
  virtual void end_input() = 0;
  // So many bytes more of that stream may be told as printed; at first none.
  virtual void allow(ExecStream stream, size_t bytes) = 0;
  virtual void resize(uint16_t rows, uint16_t columns) = 0;
  virtual void signal(int number) = 0;  // to its process group
  // SIGHUP, SIGKILL after a moment, also to what it started in its session; what it prints from here on is dropped.
  virtual void hang_up() = 0;
};

class ExecHost {
 public:
  virtual ~ExecHost() = default;
  // Errors as ProcessHost::spawn.
  virtual Result<std::unique_ptr<Exec>> start(const ExecRequest& request, ExecHandlers handlers) = 0;
};

}  // namespace muster
