// SPDX-License-Identifier: Apache-2.0
// Our ends of an exec process's streams, with flow control: only as many bytes are read as its viewer has allowed. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// Output of an exec process on one descriptor. Owned by a shared_ptr, because it posts tasks to the loop.
class ExecOutput : public std::enable_shared_from_this<ExecOutput> {
 public:
  // `bytes` receives the output, up to the allowed number of bytes. `closed` runs once, at the end of the output. Neither runs
  // after close().
  ExecOutput(FdLoop& loop, UniqueFd fd, std::function<void(std::string_view)> bytes, std::function<void()> closed);

  void allow(size_t bytes);
  // Call when the program has ended. Reports the output that is left and closes the stream, even if a child of the program
  // still holds the other end. `patience`: how long bytes may be in transit through a terminal.
  void program_ended(Duration patience);
  // No handler runs after this call.
  void close();

 private:
  void arm();
  void pump();
  bool pump_once();  // false: enough for this turn
  void finish();

  FdLoop& loop_;
  UniqueFd fd_;
  std::function<void(std::string_view)> bytes_;
  std::function<void()> closed_;
  size_t allowed_ = 0;
  bool ended_ = false;
  TimePoint until_;  // after the program's end: bytes may arrive until then
  std::unique_ptr<LoopWatch> watch_;
};

// Input of an exec process.
class ExecInput {
 public:
  // `taken` receives the number of bytes that the program's end has accepted or will never accept.
  ExecInput(FdLoop& loop, UniqueFd fd, bool terminal, std::function<void(size_t)> taken);

  void write(std::string_view bytes);
  void end();
  void close();

 private:
  void flush();

  FdLoop& loop_;
  UniqueFd fd_;
  const bool terminal_;
  std::function<void(size_t)> taken_;
  std::string queue_;
  bool ending_ = false;
  std::unique_ptr<LoopWatch> watch_;
};

}  // namespace muster
