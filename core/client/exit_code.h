// SPDX-License-Identifier: Apache-2.0
// Exit codes of `muster`. They are documented (docs/reference/exit-codes.md), and scripts rely on them.
#pragma once

#include "core/base/result.h"

namespace muster {

enum ExitCode : int {
  exit_ok = 0,
  exit_job_failed = 1,
  exit_usage = 2,        // the command line or a file is wrong
  exit_unreachable = 3,  // no controller, and none could be started
  exit_unauthenticated = 4,
  exit_not_found = 5,
  exit_conflict = 6,          // a name is taken, a job is not in the state the command needs
  exit_timeout = 7,           // of the job, or of something that a command needed
  exit_refused = 8,           // by policy, quota or a machine that is too small
  exit_unwritten = 9,         // output could not be written, for instance because the disk is full
  exit_wait_timeout = 124,    // `wait --timeout`, as of timeout(1): the jobs are not affected
  exit_exec_trouble = 125,    // `exec`: no program was started, or its result is unknown
  exit_not_executable = 126,  // `exec`: the program is not executable
  exit_no_program = 127,      // `exec`: there is no such program
  exit_interrupted = 130,     // SIGINT
  exit_unread = 141,          // SIGPIPE: the reader of our output has closed it
  exit_terminated = 143,      // SIGTERM
};

// The exit code for a command that failed with `status`; exit_ok for success.
ExitCode exit_code_of(const Status& status);

}  // namespace muster
