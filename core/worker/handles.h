// What muster.h's handles stand for, and how its functions tell failures.
#pragma once

#include "core/base/result.h"
#include "core/worker/meeting.h"
#include "muster/muster.h"

namespace muster::worker {

Meeting& meeting_of(muster_context* context);

// Remembers the sentence for muster_last_error() of this thread; the code of `status`.
muster_code fail(const Status& status);

}  // namespace muster::worker
