// HelperProcess: a program of the user's that works for muster (ssh, kubectl) while the loop goes on: its stdin and stdout are
// one stream, what it says on stderr is kept. Never ranks (DESIGN.md §9.4). Boost.Process stays in the .cc. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct HelperCommand {
  std::string program;  // a path
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  bool apart = false;  // in a session of its own: it has no terminal, and what is typed there does not end it
};

// How it ended.
struct HelperEnd {
  int code = 0;        // 128 + signal when it was killed
  std::string errors;  // the last 16 KiB of its stderr
};

class HelperProcess {
 public:
  // `ended` runs once, in a later turn, when the program has ended. Fails with the system's reason where nothing was started.
  static Result<std::unique_ptr<HelperProcess>> start(FdLoop& loop, const HelperCommand& command,
                                                      std::function<void(const HelperEnd&)> ended);
  // Ends it where it lives, within a fifth of a second; `ended` does not run then.
  ~HelperProcess();

  // Our end of its stdin and stdout: non-blocking, close-on-exec; whoever takes it owns it. Once.
  UniqueFd take_stream();

 private:
  struct Impl;
  explicit HelperProcess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
