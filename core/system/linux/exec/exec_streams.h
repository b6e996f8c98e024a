// Our ends of what a exec reads and prints: bytes leave and come as far as its viewer has room for them. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// What a exec prints on one descriptor. Owned by a shared_ptr, for it posts turns of its own.
class ExecOutput : public std::enable_shared_from_this<ExecOutput> {
 public:
  // `bytes` gets what was printed, as far as allowed; `closed` runs once, when no more comes. Set until close().
  ExecOutput(FdLoop& loop, UniqueFd fd, std::function<void(std::string_view)> bytes, std::function<void()> closed);

  void allow(size_t bytes);
  // The program has ended: what is there is still told, then it is closed, though a child of the program may hold its other end.
  // `patience`: how long bytes may be on their way (through a terminal).
  void program_ended(Duration patience);
  // Nothing more is told.
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
  TimePoint until_;  // once ended: bytes may come until then
  std::unique_ptr<LoopWatch> watch_;
};

// What a exec reads.
class ExecInput {
 public:
  // `taken` gets how many bytes the program's end has, or will never have.
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
