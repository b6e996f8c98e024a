// Whether another attempt is made, and after how long.

#include <algorithm>

#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

bool any_matches(const std::vector<ExitRule>& rules, const ExitStatus& exit) {
  return std::any_of(rules.begin(), rules.end(), [&](const ExitRule& rule) { return matches(rule, exit); });
}

// min, 2·min, 4·min … up to max.
Duration doubled(const RestartSpec& policy, uint32_t times) {
  Duration delay = policy.min_backoff;
  for (uint32_t i = 0; i < times && delay < policy.max_backoff; ++i) delay *= 2;
  return std::min(delay, policy.max_backoff);
}

}  // namespace

Verdict verdict(const State& state, const Cause& cause) {
  const RestartSpec& policy = state.rules.restarts;
  if (cause.rank && !cause.hung) {
    // A program that cannot be executed will not be executable in a moment.
    if (cause.exit.kind == ExitStatus::Kind::not_started) return Verdict::give_up;
    if (any_matches(policy.never_on, cause.exit)) return Verdict::give_up;
    if (any_matches(policy.always_on, cause.exit)) return Verdict::retry_free;
  }
  return state.restarts < policy.limit ? Verdict::retry_counted : Verdict::give_up;
}

std::string why_no_retry(const State& state) {
  if (!state.cause || !state.cause->rank || state.cause->hung) return "";
  for (const ExitRule& rule : state.rules.restarts.never_on) {
    if (matches(rule, state.cause->exit)) return " (restarts.never_on: " + to_string(rule) + ")";
  }
  return "";
}

Duration backoff_delay(State& state) {
  const RestartSpec& policy = state.rules.restarts;
  if (state.consecutive_failures <= 1) return policy.first_backoff;
  const Duration delay = doubled(policy, state.consecutive_failures - 2);
  // Up to a tenth more, so that jobs that failed together do not return together.
  return delay + Duration(state.random.below(static_cast<uint64_t>(delay.count()) / 10 + 1));
}

std::string attempt_of(const State& state, Attempt attempt) {
  const uint64_t planned = static_cast<uint64_t>(state.rules.restarts.limit) + 1 + state.regroupings;
  std::string text = "attempt " + std::to_string(attempt);
  if (attempt <= planned) text += " of " + std::to_string(planned);
  return text;
}

}  // namespace muster::job
