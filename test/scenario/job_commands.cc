// SPDX-License-Identifier: Apache-2.0
#include "test/scenario/job_commands.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/failure_rule.h"
#include "test/scenario/trace.h"

namespace muster::scenario {
namespace {

FailureRule rule_of(const std::string& text) {
  std::string written = text;
  std::replace(written.begin(), written.end(), ':', ' ');
  const std::optional<FailureRule> rule = parse_failure_rule(written);
  if (!rule) throw BadCommand("`" + text + "` is not a failure rule");
  return *rule;
}

std::vector<FailureRule> rules_of_list(const std::string& text) {
  std::vector<FailureRule> rules;
  if (text.empty()) return rules;
  for (const std::string& rule : split(text, ',')) rules.push_back(rule_of(rule));
  return rules;
}

// "0s,1s..60s": the first delay, then doubling between two bounds.
void parse_backoff(const std::string& text, RestartSpec& restarts) {
  if (text.empty()) return;
  const size_t comma = text.find(',');
  const size_t dots = text.find("..");
  if (comma == std::string::npos || dots == std::string::npos || dots < comma) {
    throw BadCommand("backoff=FIRST,MIN..MAX");
  }
  restarts.first_backoff = parse_time(text.substr(0, comma));
  restarts.min_backoff = parse_time(text.substr(comma + 1, dots - comma - 1));
  restarts.max_backoff = parse_time(text.substr(dots + 2));
}

RestartMode parse_mode(const std::string& name) {
  for (const RestartMode mode : {RestartMode::gang, RestartMode::group, RestartMode::none}) {
    if (to_string(mode) == name) return mode;
  }
  throw BadCommand("`" + name + "` is not a restart mode");
}

RestartSpec parse_restarts(const Command& command) {
  RestartSpec restarts;
  restarts.limit = static_cast<uint32_t>(command.number("limit", 0));
  restarts.window = command.duration("window", restarts.window);
  restarts.crash_loop = static_cast<uint32_t>(command.number("crash_loop", restarts.crash_loop));
  restarts.mode = parse_mode(command.option("mode", "gang"));
  parse_backoff(command.option("backoff", ""), restarts);
  restarts.grace = command.duration("grace", restarts.grace);
  restarts.never_on = rules_of_list(command.option("never_on", ""));
  restarts.always_on = rules_of_list(command.option("always_on", ""));
  return restarts;
}

TimeoutSpec parse_timeouts(const Command& command) {
  TimeoutSpec timeouts;
  timeouts.queue = command.duration("queue", timeouts.queue);
  timeouts.start = command.duration("start", timeouts.start);
  timeouts.setup = command.duration("setup", timeouts.setup);
  timeouts.run = command.duration("run", timeouts.run);
  timeouts.stop = command.duration("stop", timeouts.stop);
  return timeouts;
}

HangSpec parse_hangs(const Command& command) {
  HangSpec hangs;
  const std::string action = command.option("hangs", "report");
  for (const HangAction each : {HangAction::report, HangAction::dump, HangAction::restart}) {
    if (to_string(each) == action) hangs.action = each;
  }
  return hangs;
}

SuccessRule parse_success(const std::string& name) {
  for (const SuccessRule rule :
       {SuccessRule::all, SuccessRule::any, SuccessRule::ignore, SuccessRule::first, SuccessRule::background}) {
    if (to_string(rule) == name) return rule;
  }
  throw BadCommand("`" + name + "` is not a success rule");
}

// "2:4": an elastic job with 2 to 4 hosts.
std::optional<ElasticMembership> parse_membership(const Command& command) {
  const std::vector<std::string> range = split(command.option("elastic", ""), ':');
  if (range.size() != 2) return std::nullopt;
  return ElasticMembership{static_cast<uint32_t>(parse_number(range[0])), static_cast<uint32_t>(parse_number(range[1])),
                           command.duration("last_call", Duration(0))};
}

void assign_ranks(const Command& command, job::Rules& rules) {
  const size_t nodes = command.number("nodes", 1);
  const size_t ranks_per_node = command.number("ranks-per-node", 1);
  for (size_t n = 0; n < nodes; ++n) {
    const auto group = static_cast<uint32_t>(n * rules.groups.size() / nodes);
    rules.nodes.push_back(command.option("host", std::string("node-") + static_cast<char>('a' + n)));
    for (size_t r = 0; r < ranks_per_node; ++r) {
      const std::string name = "rank " + std::to_string(rules.ranks.size());
      rules.ranks.push_back({name, static_cast<NodeIndex>(n), group});
    }
  }
}

}  // namespace

job::Rules parse_rules(const Command& command) {
  job::Rules rules;
  for (const std::string& name : split(command.option("groups", "all"), ',')) {
    rules.group_names.push_back(std::string(1, static_cast<char>('a' + rules.groups.size())));
    rules.groups.push_back(parse_success(name));
  }
  assign_ranks(command, rules);
  rules.restarts = parse_restarts(command);
  rules.timeouts = parse_timeouts(command);
  rules.hangs = parse_hangs(command);
  rules.seed = command.number("seed", 1);
  rules.membership = parse_membership(command);
  rules.prepares = command.option("prepares", "no") != "no";
  rules.sets_up = command.option("prepares", "no") == "yes";
  rules.shared_world = command.has("shared_world");
  return rules;
}

job::Timer parse_timer(const std::string& name) {
  using job::Timer;
  for (const Timer timer : {Timer::queue, Timer::start, Timer::run, Timer::backoff, Timer::stop, Timer::last_call,
                            Timer::unreachable, Timer::setup}) {
    if (to_string(timer) == name) return timer;
  }
  throw BadCommand("there is no timer `" + name + "`");
}

job::HangKind parse_hang(const std::string& name) {
  using job::HangKind;
  for (const HangKind kind :
       {HangKind::none, HangKind::stopped, HangKind::stuck, HangKind::waiting, HangKind::quiet, HangKind::hung}) {
    if (to_string(kind) == name) return kind;
  }
  throw BadCommand("`" + name + "` is not a kind of hang");
}

}  // namespace muster::scenario
