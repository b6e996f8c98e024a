// SPDX-License-Identifier: Apache-2.0
// LinuxTimerPipe: implements TimerPipe as a FIFO (fifo(7)) with mode 0600: only processes of our user can write to it and set timers.
#pragma once

#include <memory>
#include <string>

#include "core/port/timer_pipe.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class LinuxTimerPipe final : public TimerPipe {
 public:
  // `own`: path of the FIFO, in a folder that only our user can write to.
  LinuxTimerPipe(FdLoop& loop, std::string own) : loop_(loop), own_(std::move(own)) {}
  ~LinuxTimerPipe() override { close(); }
  LinuxTimerPipe(const LinuxTimerPipe&) = delete;
  LinuxTimerPipe& operator=(const LinuxTimerPipe&) = delete;

  Result<std::string> open(const std::string& wished, OnLine on_line) override;
  void close() override;
  int64_t session_of(int64_t pid) const override;

 private:
  void readable();
  void take(std::string_view bytes);

  FdLoop& loop_;
  const std::string own_;
  std::string path_;
  UniqueFd fd_;
  std::unique_ptr<LoopWatch> watch_;
  OnLine on_line_;
  std::string begun_;      // the incomplete last line
  bool too_long_ = false;  // the incomplete line is too long
};

}  // namespace muster
