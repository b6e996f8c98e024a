// run_program: a small helper program, from start to end, with a bound on its time and its output. For commands
// only: ranks are started by agents (DESIGN.md §9.4). Blocks.
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
  std::string workdir;  // empty: ours
  Duration patience = std::chrono::seconds(10);
  size_t most_output = 1 << 20;  // of stdout; the rest is read and dropped
  int input = -1;                // its stdin; -1: /dev/null
  int nice = 0;                  // more: others go first
};

struct HelperResult {
  int exit_code = 0;  // 128 + signal when it was killed
  std::string out;
};

// One that runs beside us until what it came to is asked for. Any one thread.
class StartedProgram {
 public:
  // Its stderr is ours or, with `quiet`, /dev/null. not_found, permission_denied: it cannot be started.
  static Result<std::unique_ptr<StartedProgram>> start(HelperProgram program, bool quiet = true);
  // One that nobody asked is killed, with what it started.
  ~StartedProgram();
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;

  // Once. Blocks. deadline_exceeded: it did not end in time, which began with its start, and was killed.
  Result<HelperResult> result();

  // Where it prints; readable once it does or has ended.
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

// Both in one.
Result<HelperResult> run_program(const HelperProgram& program, bool quiet = true);

// Where execvp would find `name` in the folders of `path` ("/usr/bin:/bin"), relative ones below `workdir`;
// empty: nowhere.
std::string find_program(const std::string& name, const std::string& path, const std::string& workdir);

}  // namespace muster
