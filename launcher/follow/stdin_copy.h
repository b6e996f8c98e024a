// SPDX-License-Identifier: Apache-2.0
// StdinCopy: copies this process's stdin to a pipe, for a rank that cannot open stdin itself: a socket, or a terminal or pipe of another
// user. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class StdinCopy {
 public:
  // `pipe`: the non-blocking end to write to, which the object owns from here on; -1: copies nothing.
  StdinCopy(FdLoop& loop, int pipe);

 private:
  void wait_for_input();
  void read_some();
  void write_rest();

  FdLoop& loop_;
  UniqueFd pipe_;
  std::string rest_;  // read, and not written yet
  std::unique_ptr<LoopWatch> input_;
  std::unique_ptr<LoopWatch> room_;
};

}  // namespace muster
