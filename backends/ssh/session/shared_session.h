// SPDX-License-Identifier: Apache-2.0
// SharedSession: runs a program on a host over an existing ssh connection (ControlMaster), without starting another ssh process. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/system/asio/fd_loop.h"
#include "core/system/asio/helper_process.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class SharedSession {
 public:
  // Exactly one of the first two runs, once, in a later turn.
  struct Handlers {
    std::function<void()> refused;                         // no session was opened: start ssh itself
    std::function<void(const HelperEnd&)> ended;           // with the exit code that ssh would have for this session
    std::function<void(std::string_view)> on_errors = {};  // besides: gets its stderr as it arrives
  };

  // `socket`: the control socket (ControlPath). Null: no process listens on it, or the request is too long.
  static std::unique_ptr<SharedSession> begin(FdLoop& loop, const std::string& socket, const std::string& command,
                                              const std::map<std::string, std::string>& environment, Handlers handlers);
  // Ends the program on the host, as the end of an ssh process does.
  ~SharedSession() = default;

  // Our end of its stdin and stdout, as HelperProcess::take_stream().
  UniqueFd take_stream() { return std::move(stream_); }

 private:
  SharedSession(UniqueFd master, Handlers handlers) : master_(std::move(master)), handlers_(std::move(handlers)) {}
  bool send_request(const std::string& request);
  void read_answers();
  void read_errors();
  void finish(bool refused);

  UniqueFd master_;
  UniqueFd stream_;
  UniqueFd errors_;
  Handlers handlers_;
  std::unique_ptr<LoopWatch> reads_;
  std::unique_ptr<LoopWatch> reads_errors_;
  std::string received_;
  HelperEnd end_;
};

}  // namespace muster
