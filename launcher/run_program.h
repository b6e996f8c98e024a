// run_program: a small helper program, from start to end, with a bound on its time and its output. For commands
// only: ranks are started by agents (DESIGN.md §9.4). Blocks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace muster {

struct HelperProgram {
  std::vector<std::string> argv;  // argv[0] without a slash is looked up in the PATH of `environment`
  std::map<std::string, std::string> environment;
  std::string workdir;  // empty: ours
  Duration patience = std::chrono::seconds(10);
  size_t most_output = 1 << 20;  // of stdout; the rest is read and dropped
  int input = -1;                // its stdin; -1: /dev/null
};

struct HelperResult {
  int exit_code = 0;  // 128 + signal when it was killed
  std::string out;
};

// Its stderr is ours or, with `quiet`, /dev/null. Fails with not_found or
// permission_denied when it cannot be started, deadline_exceeded when it did not end in time (it is killed
// then).
Result<HelperResult> run_program(const HelperProgram& program, bool quiet = true);

// Where execvp would find `name` in the folders of `path` ("/usr/bin:/bin"), relative ones below `workdir`;
// empty: nowhere.
std::string find_program(const std::string& name, const std::string& path, const std::string& workdir);

}  // namespace muster
