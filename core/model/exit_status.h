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

  bool success() const { return kind == Kind::exited && code == 0; }
  bool operator==(const ExitStatus&) const = default;
};

// "exited with code 2", "was killed by SIGSEGV (core dumped)", "raised RuntimeError: … at train.py:41", "ran out of
// memory …".
std::string describe_exit(const ExitStatus& status);

}  // namespace muster
