// SharedSession: a program on a host over a connection that is there already, as ssh's own next session over it would be, without
// starting an ssh for it. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/system/asio/fd_loop.h"
#include "core/system/asio/helper_process.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class SharedSession {
 public:
  // One of them runs, once, in a later turn.
  struct Handlers {
    std::function<void()> refused;                // no session came to be: ask ssh itself
    std::function<void(const HelperEnd&)> ended;  // as ssh ends that had this session
  };

  // `socket`: of the ssh that has the connection (ControlPath). Nothing: nobody listens there, or it would be too much to say.
  static std::unique_ptr<SharedSession> begin(FdLoop& loop, const std::string& socket, const std::string& command,
                                              const std::map<std::string, std::string>& environment, Handlers handlers);
  // Ends the program there as the end of an ssh does.
  ~SharedSession() = default;

  // Our end of its stdin and stdout, as of HelperProcess.
  UniqueFd take_stream() { return std::move(stream_); }

 private:
  SharedSession(UniqueFd master, Handlers handlers) : master_(std::move(master)), handlers_(std::move(handlers)) {}
  bool ask(const std::string& wish);
  void hear();
  void hear_errors();
  void finish(bool refused);

  UniqueFd master_;
  UniqueFd stream_;
  UniqueFd errors_;
  Handlers handlers_;
  std::unique_ptr<LoopWatch> reads_;
  std::unique_ptr<LoopWatch> reads_errors_;
  std::string came_;
  HelperEnd end_;
};

}  // namespace muster
