// How a child ended, taken from the kernel with waitid(2). Never for "any child": each caller reaps its own pids.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>

#include "core/job/exit_status.h"

namespace muster {

// Of a siginfo_t that waitid(2) filled.
ExitStatus exit_status_of(const siginfo_t& info);

// Reaps our child `pid` if it has ended; none while it runs. A child that is not ours any more counts as exited
// with 0. peak_bytes is filled where SIGKILL ended it and it had more memory in use than we ever had: less cannot be told,
// since the kernel counts ours as its own (it begins in our memory; getrusage(2)).
std::optional<ExitStatus> reap_if_ended(pid_t pid);

// Any, whether it lives or waits to be reaped. One that its parent left to us, its subreaper, is ours before that parent can be reaped.
bool has_children();

// A child of ours that has ended and is not yet reaped, any; 0 when there is none. Reaps nothing.
pid_t peek_ended_child();

}  // namespace muster
