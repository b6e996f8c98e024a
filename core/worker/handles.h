// What the functions of muster.h share: the handles a program holds, and that nothing is thrown to a caller in C. For
// the .cc files that export them; any thread.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/base/result.h"
#include "core/worker/meeting.h"
#include "muster/muster.h"

namespace muster::worker {

// The meeting of an open context; it lives as long as the context.
Meeting& meeting_of(muster_context* context);

// Keeps the sentence as this thread's muster_last_error() and returns its code.
muster_code fail(const Status& status);

inline Status wrong(const char* call, const std::string& what) {
  return Status(Code::invalid_argument, std::string(call) + ": " + what);
}

// One call: its code, with the sentence kept, whatever happens in it.
template <typename Act>
muster_code guarded(const char* call, Act act) try {
  const Status status = act();
  return status.ok() ? MUSTER_OK : fail(status);
} catch (const std::bad_alloc&) {
  return fail(Status(Code::resource_exhausted, std::string(call) + ": no memory"));
} catch (const std::exception& error) {
  return fail(Status(Code::internal, std::string(call) + ": " + error.what()));
}

}  // namespace muster::worker
