// SPDX-License-Identifier: Apache-2.0
// ExecHost: starts exec processes: programs that users run beside the ranks of this machine. An exec process starts like its rank
// and is a child of this process. ProcessHost::sweep ends what is left of it, so it never outlives its rank's attempt.
//
// Loop thread only. Handlers run in turns of their own (`taken` possibly within write()), and never after the Exec's destruction,
// which hangs up. Of the handlers, only `ended` may destroy it.
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
  ProcessHandle beside = 0;  // the rank whose cgroup it shares, if the rank has one; 0: the cgroup that `spawn` names
  uint16_t rows = 0;         // of the terminal; 0: 24 and 80
  uint16_t columns = 0;
};

struct ExecHandlers {
  std::function<void(ExecStream stream, std::string_view bytes)> printed;  // at most kExecChunk at once
  std::function<void(ExecStream stream)> closed;                           // once for `out` and once for `err`
  std::function<void(size_t bytes)> taken;                                 // the program has read these bytes
  std::function<void(const ExitStatus& exit)> ended;                       // once, after both are closed
};

class Exec {
 public:
  virtual ~Exec() = default;
  // Queued without a limit: the caller keeps to a window. If the program no longer reads, bytes are dropped and count as taken.
  virtual void write(std::string_view bytes) = 0;
  // Ends the input after the queued bytes: end of file, or on a terminal the end-of-file character.
  virtual void end_input() = 0;
  // Allows `bytes` more bytes of that stream to be passed to `printed`; initially none.
  virtual void allow(ExecStream stream, size_t bytes) = 0;
  virtual void resize(uint16_t rows, uint16_t columns) = 0;
  virtual void signal(int number) = 0;  // to its process group
  // Sends SIGHUP and soon after SIGKILL, also to the processes of its session. Output from now on is dropped.
  virtual void hang_up() = 0;
};

class ExecHost {
 public:
  virtual ~ExecHost() = default;
  // Errors as in ProcessHost::spawn.
  virtual Result<std::unique_ptr<Exec>> start(const ExecRequest& request, ExecHandlers handlers) = 0;
};

}  // namespace muster
