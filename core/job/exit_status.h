// How a worker ended, as values every floor speaks of.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/ids.h"

namespace muster {

struct ExitStatus {
  enum class Kind {
    exited,       // `code`
    signalled,    // `signal`
    not_started,  // the program could not be executed; `detail` says why
  };
  Kind kind = Kind::exited;
  int code = 0;
  int signal = 0;
  bool oom = false;  // killed for its memory, by the kernel or by muster's limit
  bool core_dumped = false;
  std::string detail;  // what the program said last: "RuntimeError: … at train.py:41"; may be empty
  // What helps to find out more; each may be absent, and the same end may differ in it.
  bool asked = false;       // it ended after muster had told it to
  uint64_t peak_bytes = 0;  // of memory, where SIGKILL came from elsewhere
  std::string core_file;    // its path, or the command that shows it
  std::string trace;        // lines of a Python traceback

  bool success() const { return kind == Kind::exited && code == 0; }
  bool operator==(const ExitStatus&) const = default;
};

// "exited with code 2", "was killed by SIGSEGV (core dumped)", "raised RuntimeError: … at train.py:41", "ran out of
// memory …".
std::string describe_exit(const ExitStatus& status);

// Whether they say the same, whatever else is known of them.
bool same_end(const ExitStatus& one, const ExitStatus& other);

}  // namespace muster
