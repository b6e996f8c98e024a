// SPDX-License-Identifier: Apache-2.0
// Reads with waitid(2) how a child ended. Never waits for "any child": each caller reaps its own pids.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>

#include "core/job/exit_status.h"

namespace muster {

// From a siginfo_t that waitid(2) has filled.
ExitStatus exit_status_of(const siginfo_t& info);

// Reaps our child `pid` if it has ended. None: it still runs. A process that is not our child any more counts as exited
// with code 0. peak_bytes is set only if SIGKILL ended the child and its peak exceeds our own: the kernel counts our memory
// as the child's, since it begins in our memory (getrusage(2)).
std::optional<ExitStatus> reap_if_ended(pid_t pid);

// Whether this process has a child, running or not yet reaped. When a parent has been reaped, its orphans are already
// children of this subreaper.
bool has_children();

// The pid of a child that has ended and is not yet reaped; 0: there is none. Does not reap it.
pid_t peek_ended_child();

}  // namespace muster
