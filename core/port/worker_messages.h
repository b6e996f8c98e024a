// SPDX-License-Identifier: Apache-2.0
// The messages between a worker and its agent, as values; worker.proto carries them.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/rank/progress.h"
#include "core/rank/rendezvous_call.h"

namespace muster {

// Answered when the attempt stops; at once if it is stopping already.
struct EndQuestion {
  bool operator==(const EndQuestion&) const = default;
};
// The worker does not end with its attempt but waits for a rank of the next one. Answered when the next attempt begins.
// withdraw: the worker takes its earlier request back. Both are answered at once; this one with failed_precondition if the attempt has
// ended and the process was kept for the next one.
struct RejoinRequest {
  bool withdraw = false;
  bool operator==(const RejoinRequest&) const = default;
};

struct WorkerCall {
  Attempt attempt = 0;
  uint32_t index = 0;  // the calling rank, into the plan
  std::variant<RendezvousCall, Progress, EndQuestion, RejoinRequest> call;
  bool operator==(const WorkerCall&) const = default;
};

// The attempt stops. broken: because a rank or node of it was lost.
struct EndNotice {
  std::string why;
  bool broken = false;
  Duration grace{0};
  bool operator==(const EndNotice&) const = default;
};
// The worker's place in the next attempt, as environment variables, or the error.
struct NewPlace {
  Status status;
  std::map<std::string, std::string> environment;
  bool operator==(const NewPlace&) const = default;
};

// The answer to Progress is an empty RendezvousAnswer.
using WorkerAnswer = std::variant<RendezvousAnswer, EndNotice, NewPlace>;

}  // namespace muster
