// SPDX-License-Identifier: Apache-2.0
#include "core/agent/alone_patience.h"

namespace muster {
namespace {

// Time for which an agent keeps the result of its ranks if the controller does not come back.
constexpr Duration kKeepsEnd = std::chrono::hours(24);
// The same if this host has the only copy of the rank output.
constexpr Duration kKeepsOutput = std::chrono::hours(14 * 24);
// The same if the coordinator has given up the node long before.
constexpr Duration kGivenUp = std::chrono::minutes(10);
// An unbound agent: the controller that placed it has died.
constexpr Duration kUnbound = std::chrono::seconds(30);
// In a pod, the coordinator's pod may start much later …
constexpr Duration kPodUnbound = std::chrono::hours(24 * 3650);
// … and may take long to start again. Only the agents can tell the new coordinator about the job.
constexpr Duration kPodGivenUp = std::chrono::hours(1);

}  // namespace

Duration alone_patience(const std::optional<Bind>& bind, bool pod) {
  if (!bind) return pod ? kPodUnbound : kUnbound;
  if (bind->lease > Duration(0)) return pod ? kPodGivenUp : kGivenUp;
  return bind->sends_output ? kKeepsOutput : kKeepsEnd;
}

}  // namespace muster
