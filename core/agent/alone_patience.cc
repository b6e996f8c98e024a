#include "core/agent/alone_patience.h"

namespace muster {
namespace {

// How long an agent keeps a job's end for a controller that does not come back.
constexpr Duration kKeepsEnd = std::chrono::hours(24);
// The same if what its ranks printed is there alone.
constexpr Duration kKeepsOutput = std::chrono::hours(14 * 24);
// The same if the node was given up long before.
constexpr Duration kGivenUp = std::chrono::minutes(10);
// An unbound agent that nobody takes ends: its controller died while placing it.
constexpr Duration kUnbound = std::chrono::seconds(30);
// In a pod: the coordinator's pod may be long in coming …
constexpr Duration kPodUnbound = std::chrono::hours(24 * 3650);
// … and long in coming again, and nobody else can tell it about the job.
constexpr Duration kPodGivenUp = std::chrono::hours(1);

}  // namespace

Duration alone_patience(const std::optional<Bind>& bind, bool pod) {
  if (!bind) return pod ? kPodUnbound : kUnbound;
  if (bind->lease > Duration(0)) return pod ? kPodGivenUp : kGivenUp;
  return bind->sends_output ? kKeepsOutput : kKeepsEnd;
}

}  // namespace muster
