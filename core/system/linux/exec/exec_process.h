// SPDX-License-Identifier: Apache-2.0
// ExecProcess: one running exec process: its streams, its exit and how it is ended. Internal to LinuxExecHost. Loop
// thread only.
#pragma once

#include <memory>
#include <optional>

#include "core/port/exec_host.h"
#include "core/system/linux/exec/exec_streams.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

// The descriptors of an exec process: our ends, and the program's.
struct ExecEnds {
  UniqueFd input;
  UniqueFd output;
  UniqueFd errors;                 // not valid for a terminal
  std::array<UniqueFd, 3> theirs;  // the program's; for a terminal only the first is valid
};
Result<ExecEnds> open_exec_ends(bool tty, uint16_t rows, uint16_t columns);

class ExecProcess : public std::enable_shared_from_this<ExecProcess> {
 public:
  ExecProcess(FdLoop& loop, LinuxProcessHost& processes, bool tty, ExecHandlers handlers)
      : loop_(loop),
        processes_(processes),
        tty_(tty),
        handlers_(std::move(handlers)) {}

  // Called once, right after the program was started.
  void begin(ExecEnds ends, ProcessHandle handle);
  void exited(const ExitStatus& exit);
  // Drops all handlers and closes all streams.
  void silence();

  ExecInput& input() { return *input_; }
  void allow(ExecStream stream, size_t bytes);
  void resize(uint16_t rows, uint16_t columns);
  void signal(int number);
  void hang_up();

 private:
  std::shared_ptr<ExecOutput> open(UniqueFd fd, ExecStream stream);
  void closed(ExecStream stream);
  void tell_end();
  void signal_session(int number);

  FdLoop& loop_;
  LinuxProcessHost& processes_;
  const bool tty_;
  ExecHandlers handlers_;
  ProcessHandle handle_ = 0;
  pid_t pid_ = 0;
  UniqueFd terminal_;  // for its size
  std::unique_ptr<ExecInput> input_;
  std::shared_ptr<ExecOutput> output_;
  std::shared_ptr<ExecOutput> errors_;
  std::optional<ExitStatus> exit_;
  bool hung_up_ = false;
};

}  // namespace muster
