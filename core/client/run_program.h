// SPDX-License-Identifier: Apache-2.0
// run_program: runs a small helper program with a limit on its time and its output. Only for commands on the user's
// machine; agents start ranks (docs/design/agent.md). Blocks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct HelperProgram {
  std::vector<std::string> argv;  // argv[0] without a slash is looked up in the PATH of `environment`
  std::map<std::string, std::string> environment;
  std::string workdir;  // empty: the caller's
  Duration patience = std::chrono::seconds(10);
  size_t most_output = 1 << 20;  // bytes of stdout that are kept; the rest is read and dropped
  int input = -1;                // its stdin; -1: /dev/null
  int nice = 0;                  // as nice(1): a higher value means a lower priority
};

struct HelperResult {
  int exit_code = 0;  // 128 + signal when it was killed
  std::string out;
};

// A helper program that runs in parallel until result() is called. Use from one thread.
class StartedProgram {
 public:
  // stderr is inherited or, with `quiet`, /dev/null. Errors: not_found or permission_denied if it cannot be started.
  static Result<std::unique_ptr<StartedProgram>> start(HelperProgram program, bool quiet = true);
  // Kills the program and its children if result() was not called.
  ~StartedProgram();
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;

  // Call once. Blocks until the program ends. deadline_exceeded: it did not end within `patience` of its start and was
  // killed.
  Result<HelperResult> result();

  // Read end of its stdout; readable when it has printed or ended.
  int fd() const { return out_.get(); }

 private:
  using Clock = std::chrono::steady_clock;
  StartedProgram(HelperProgram program, UniqueFd out);
  void kill_all();

  const HelperProgram program_;
  UniqueFd out_;
  const Clock::time_point deadline_;
  pid_t pid_ = 0;  // 0: reaped
};

// start() and result() in one call.
Result<HelperResult> run_program(const HelperProgram& program, bool quiet = true);

// The file that execvp would start for `name`, searched in the folders of `path` ("/usr/bin:/bin"). Relative folders are
// below `workdir`. Empty: not found.
std::string find_program(const std::string& name, const std::string& path, const std::string& workdir);

}  // namespace muster
