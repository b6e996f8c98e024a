// SPDX-License-Identifier: Apache-2.0
// Helpers for the .cc files that export the functions of muster.h: access to handles, and conversion of statuses and
// exceptions to codes. Any thread.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/base/result.h"
#include "core/worker/meeting.h"
#include "muster/muster.h"

namespace muster::worker {

// The meeting of an open context; valid as long as the context.
Meeting& meeting_of(muster_context* context);

// Stores the message as this thread's muster_last_error() and returns the code.
muster_code fail(const Status& status);

inline Status wrong(const char* call, const std::string& what) {
  return Status(Code::invalid_argument, std::string(call) + ": " + what);
}

// Runs `act` and returns its code. Exceptions are converted; a message is stored for muster_last_error().
template <typename Act>
muster_code guarded(const char* call, Act act) try {
  const Status status = act();
  return status.ok() ? MUSTER_OK : fail(status);
} catch (const std::bad_alloc&) {
  return fail(Status(Code::resource_exhausted, std::string(call) + ": out of memory"));
} catch (const std::exception& error) {
  return fail(Status(Code::internal, std::string(call) + ": " + error.what()));
}

}  // namespace muster::worker
