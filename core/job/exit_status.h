// SPDX-License-Identifier: Apache-2.0
// ExitStatus: how a worker ended. Values for all layers.
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
  bool oom = false;  // killed because of its memory, by the kernel or by muster's limit
  bool core_dumped = false;
  std::string detail;  // the failure message of the program: "RuntimeError: … at train.py:41"; may be empty
  // Additional details. Each can be missing, and same_end() ignores them.
  bool asked = false;       // muster had asked it to end
  uint64_t peak_bytes = 0;  // peak memory; set if SIGKILL did not come from muster
  std::string core_file;    // its path, or the command that shows it
  std::string
      trace;  // lines about the end: a Python traceback, faulthandler's functions, what the kernel tells of a kill
  bool service_failed = false;  // muster had asked it to end because a node service had failed; `detail` says which

  bool success() const { return kind == Kind::exited && code == 0; }
  bool operator==(const ExitStatus&) const = default;
};

// "exited with code 2", "was killed by SIGSEGV (core dumped)", "raised RuntimeError: … at train.py:41", "ran out of
// memory …".
std::string describe_exit(const ExitStatus& status);

// The code with which a shell reports this end: 128 + signal, and 127 if the program was not started (POSIX sh, 2.8.2).
int shell_code(const ExitStatus& status);

// Whether kind, code, signal, oom and detail are equal.
bool same_end(const ExitStatus& one, const ExitStatus& other);

}  // namespace muster
