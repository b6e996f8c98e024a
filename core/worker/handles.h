// What the functions of muster.h share about the handles a program holds. For the .cc files that export them; any thread.
#pragma once

#include "core/base/result.h"
#include "core/worker/meeting.h"
#include "muster/muster.h"

namespace muster::worker {

// The meeting of an open context; it lives as long as the context.
Meeting& meeting_of(muster_context* context);

// Keeps the sentence as this thread's muster_last_error() and returns its code.
muster_code fail(const Status& status);

}  // namespace muster::worker
