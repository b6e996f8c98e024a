// What a worker says to its agent and hears from it, as values; worker.proto carries them.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/rank/progress.h"
#include "core/rank/rendezvous_call.h"

namespace muster {

// Answered when the attempt is to end, at once if it is.
struct EndQuestion {
  bool operator==(const EndQuestion&) const = default;
};
// Instead of ending with its attempt, the worker waits to be a rank of the next one. Answered when that begins.
struct RejoinRequest {
  bool operator==(const RejoinRequest&) const = default;
};

struct WorkerCall {
  Attempt attempt = 0;
  uint32_t index = 0;  // the asking rank, into the plan
  std::variant<RendezvousCall, Progress, EndQuestion, RejoinRequest> call;
  bool operator==(const WorkerCall&) const = default;
};

// The attempt is to end. broken: it cannot go on, as a rank or node of it is lost.
struct EndNotice {
  std::string why;
  bool broken = false;
  Duration grace{0};
  bool operator==(const EndNotice&) const = default;
};
// The place in the next attempt, as environment variables; or why there is none.
struct NewPlace {
  Status status;
  std::map<std::string, std::string> environment;
  bool operator==(const NewPlace&) const = default;
};

// Progress is answered by an empty RendezvousAnswer.
using WorkerAnswer = std::variant<RendezvousAnswer, EndNotice, NewPlace>;

}  // namespace muster
