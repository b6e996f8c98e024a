// SPDX-License-Identifier: Apache-2.0
// HelperProcess: a helper program of the user (ssh, kubectl) that runs beside the loop. Its stdin and stdout are one
// stream; its stderr is kept. Agents start ranks in another way (docs/design/agent.md). Only the .cc includes
// Boost.Process. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct HelperCommand {
  std::string program;  // a path
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  bool apart = false;  // in a new session: it has no terminal, and keys such as Ctrl-C do not end it
  std::function<void(std::string_view)> on_errors = {};  // gets its stderr as it arrives
};

// The result of a helper program.
struct HelperEnd {
  int code = 0;        // exit code; 128 + signal if it was killed
  std::string errors;  // the last 16 KiB of its stderr
};

class HelperProcess {
 public:
  // `ended` runs once, in a later turn, after the program has ended. Fails with the system's error if the program cannot be
  // started.
  static Result<std::unique_ptr<HelperProcess>> start(FdLoop& loop, const HelperCommand& command,
                                                      std::function<void(const HelperEnd&)> ended);
  // Ends the program if it still runs: SIGTERM, after 200 ms SIGKILL. Then `ended` does not run.
  ~HelperProcess();

  // Our end of its stdin and stdout: non-blocking, close-on-exec. The caller owns it. Call once.
  UniqueFd take_stream();

 private:
  struct Impl;
  explicit HelperProcess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
