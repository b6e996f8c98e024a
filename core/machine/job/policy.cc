// SPDX-License-Identifier: Apache-2.0
// Decides whether another attempt follows, and after which delay.

#include <algorithm>
#include <cctype>
#include <csignal>

#include "core/base/text.h"
#include "core/job/failure_rule.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

// An attempt that fails within this time may be part of a crash loop.
constexpr Duration kSoon = std::chrono::minutes(1);

const std::string& group_of(const State& state, const Cause& cause) {
  static const std::string nobody;
  const auto& ranks = state.rules.ranks;
  if (cause.rank) return state.rules.group_names[ranks[*cause.rank].group];
  if (!cause.node) return nobody;
  const auto of_node = std::find_if(ranks.begin(), ranks.end(), [&](const auto& r) { return r.node == *cause.node; });
  return of_node == ranks.end() ? nobody : state.rules.group_names[of_node->group];
}

bool is_meant(const FailureRule& rule, const State& state, const Cause& cause) {
  if (!rule.group.empty() && rule.group != group_of(state, cause)) return false;
  switch (rule.kind) {
    case FailureRule::Kind::lost: return cause.node.has_value();
    case FailureRule::Kind::hang: return cause.hung;
    case FailureRule::Kind::any: return true;
    default: return cause.rank && !cause.hung && matches(rule, cause.exit);
  }
}

const FailureRule* rule_for(const std::vector<FailureRule>& rules, const State& state, const Cause& cause) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const FailureRule& rule) { return is_meant(rule, state, cause); });
  return found == rules.end() ? nullptr : &*found;
}

// min, 2·min, 4·min … up to max.
Duration doubled(const RestartSpec& policy, uint32_t times) {
  Duration delay = policy.min_backoff;
  for (uint32_t i = 0; i < times && delay < policy.max_backoff; ++i) delay *= 2;
  return std::min(delay, policy.max_backoff);
}

// True if the program itself caused its end. A signal from outside says nothing about the next attempt.
bool crashed(const ExitStatus& exit) {
  if (exit.kind != ExitStatus::Kind::signalled || exit.oom) return true;
  switch (exit.signal) {
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
    case SIGSYS: return true;
    default: return false;
  }
}

// The text without digits: process ids, addresses and times differ in every attempt.
std::string without_digits(std::string said) {
  std::erase_if(said, [](unsigned char byte) { return std::isdigit(byte) != 0; });
  return said;
}

bool alike(ExitStatus one, ExitStatus other) {
  one.detail = without_digits(one.detail);
  other.detail = without_digits(other.detail);
  return same_end(one, other);
}

bool loops(const State& state) {
  const uint32_t enough = state.rules.restarts.crash_loop;
  return enough > 0 && state.crashes_alike >= enough;
}

// Restarts that count against the limit at `now`.
uint64_t used(const State& state, TimePoint now) {
  const Duration window = state.rules.restarts.window;
  if (window == Duration(0)) return state.restarts;
  return static_cast<uint64_t>(std::count_if(state.restarted_at.begin(), state.restarted_at.end(),
                                             [&](TimePoint at) { return now - at < window; }));
}

}  // namespace

uint32_t crashes_alike(const State& state, const Cause& cause, TimePoint now) {
  const bool crash = cause.rank && !cause.hung && crashed(cause.exit);
  if (!crash || now - state.attempt_started > kSoon) return 0;
  const bool again = state.crashes_alike > 0 && state.cause && alike(state.cause->exit, cause.exit);
  return again ? state.crashes_alike + 1 : 1;
}

bool is_final(const State& state, const Cause& cause) {
  // A program that could not be executed would fail again.
  const bool could_not_start = cause.rank && !cause.hung && cause.exit.kind == ExitStatus::Kind::not_started;
  return could_not_start || rule_for(state.rules.restarts.never_on, state, cause) != nullptr;
}

Verdict verdict(const State& state, const Cause& cause, TimePoint now) {
  const RestartSpec& policy = state.rules.restarts;
  if (policy.mode == RestartMode::none || is_final(state, cause) || loops(state)) return Verdict::give_up;
  if (cause.taken || rule_for(policy.always_on, state, cause) != nullptr) return Verdict::retry_free;
  return used(state, now) < policy.limit ? Verdict::retry_counted : Verdict::give_up;
}

void count_restart(State& state, TimePoint now) {
  ++state.restarts;
  const Duration window = state.rules.restarts.window;
  if (window == Duration(0)) return;
  std::erase_if(state.restarted_at, [&](TimePoint at) { return now - at >= window; });
  state.restarted_at.push_back(now);
}

std::string why_no_retry(const State& state) {
  if (!state.cause) return "";
  const RestartSpec& policy = state.rules.restarts;
  const FailureRule* rule = rule_for(policy.never_on, state, *state.cause);
  if (rule != nullptr) return " (restarts.never_on: " + to_string(*rule) + ")";
  if (loops(state))
    return ", the same failure in " + count_of(state.crashes_alike, "attempt") +
           " in a row, each within a minute (restarts.crash_loop)";
  if (policy.window == Duration(0) || state.cause->timed_out || used(state, state.failed_at) < policy.limit) return "";
  return ", after " + count_of(policy.limit, "restart") + " within " + humane_duration(policy.window) +
         " (restarts.limit, restarts.window)";
}

Duration backoff_delay(State& state) {
  const RestartSpec& policy = state.rules.restarts;
  if (state.consecutive_failures <= 1) return policy.first_backoff;
  const Duration delay = doubled(policy, state.consecutive_failures - 2);
  // Add up to 10 %, so that jobs that failed together do not restart together.
  return delay + Duration(state.random.below(static_cast<uint64_t>(delay.count()) / 10 + 1));
}

std::string attempt_of(const State& state, Attempt attempt) {
  const RestartSpec& policy = state.rules.restarts;
  const uint64_t planned = static_cast<uint64_t>(policy.limit) + 1 + state.regroupings;
  std::string text = "attempt " + std::to_string(attempt);
  if (attempt <= planned && policy.window == Duration(0)) text += " of " + std::to_string(planned);
  return text;
}

}  // namespace muster::job
