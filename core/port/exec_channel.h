// SPDX-License-Identifier: Apache-2.0
// ExecChannel: the channel between a viewer and the controller for one exec process. Ordered; handlers as in Channel. `on_closed`
// on the viewer's side: the controller went away before it sent ExecEnd.
#pragma once

#include "core/port/agent_channel.h"
#include "core/port/exec_messages.h"

namespace muster {

using ExecChannel = Channel<ExecFrame, ExecFrame>;

// The last frame for a viewer that gets no exec process.
inline ExecEnd refused_exec(const Status& why) {
  return {.exit = std::nullopt, .code = static_cast<int>(why.code()), .why = why.message()};
}

// The answer to a start in an attempt that has ended.
inline Status ended_attempt(Attempt attempt) {
  return Status(Code::failed_precondition, "attempt " + std::to_string(attempt) +
                                               " of the rank has ended, and a program of it does not start in another");
}

inline void refuse_exec(ExecChannel& viewer, const Status& why) { viewer.send({0, refused_exec(why)}); }

}  // namespace muster
