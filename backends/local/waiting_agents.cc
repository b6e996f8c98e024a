// SPDX-License-Identifier: Apache-2.0
#include "backends/local/waiting_agents.h"

#include <algorithm>

#include "backends/local/agent_signals.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// Waiting agents use memory: with a warm parent some hundred MB, because a framework is loaded; without one 3 MB.
constexpr size_t kMostWarm = 2;
constexpr size_t kMostBare = 1;
// Below this share of free memory, agents are dismissed one by one.
constexpr uint32_t kScarcePermille = 50;
// The largest part of the memory that all warm agents keep together: 1/20.
constexpr uint64_t kMostPart = 20;
constexpr Duration kCheckInterval = std::chrono::seconds(5);
// A delay after an agent arrives, because clients are about to be told that its job has ended.
constexpr Duration kFirstCheck = std::chrono::milliseconds(100);

}  // namespace

WaitingAgents::~WaitingAgents() {
  *alive_ = false;
  // Their channels close now, so they leave.
  for (const WaitingAgent& each : waiting_) help_leaving(host_, machine_, each.guardian, each.agent.hello.process);
  loop_.cancel(check_timer_);
}

void WaitingAgents::dismiss(WaitingAgent& agent) {
  dismiss_agent(loop_, std::move(agent.agent.channel));
  help_leaving(host_, machine_, agent.guardian, agent.agent.hello.process);
}

void WaitingAgents::add(ArrivedAgent agent, ProcessHandle guardian) {
  dismiss_if_full(!agent.hello.warm.empty());
  agent.channel->listen([](const AgentMessage&) {},
                        [this, alive = alive_, who = agent.hello.incarnation](const Status&) {
                          if (*alive) forget(who);
                        });
  waiting_.push_back({std::move(agent), loop_.now(), guardian, 0});
  check_soon(kFirstCheck);
}

// Dismisses the oldest agent of this kind if there are as many as allowed.
void WaitingAgents::dismiss_if_full(bool warm) {
  const auto of_its_kind = [&](const WaitingAgent& each) { return each.warm() == warm; };
  const size_t most = warm ? kMostWarm : kMostBare;
  if (static_cast<size_t>(std::count_if(waiting_.begin(), waiting_.end(), of_its_kind)) >= most)
    dismiss_first(of_its_kind);
}

void WaitingAgents::dismiss_first(const std::function<bool(const WaitingAgent&)>& which) {
  const auto first = std::find_if(waiting_.begin(), waiting_.end(), which);
  if (first == waiting_.end()) return;
  dismiss(*first);
  waiting_.erase(first);
}

void WaitingAgents::check_soon(Duration after) {
  loop_.cancel(check_timer_);
  check_timer_ = loop_.at(loop_.now() + after, [this] {
    check();
    if (!waiting_.empty()) check_soon(kCheckInterval);
  });
}

void WaitingAgents::check() {
  const TimePoint now = loop_.now();
  const auto is_warm = [](const WaitingAgent& each) { return each.warm(); };
  const auto waits_long = [&](const WaitingAgent& each) {
    return longest_ > Duration(0) && now - each.since >= longest_;
  };
  while (std::any_of(waiting_.begin(), waiting_.end(), waits_long)) dismiss_first(waits_long);
  measure();
  while (keep_too_much()) dismiss_first(is_warm);
  // One agent per check, because its memory is free only a moment later.
  const bool scarce = !waiting_.empty() && machine_.free_memory_permille().value_or(1000) < kScarcePermille;
  if (scarce) dismiss_first([](const WaitingAgent&) { return true; });
}

// Once for each warm agent: an agent that waits imports nothing more.
void WaitingAgents::measure() {
  for (WaitingAgent& each : waiting_) {
    if (each.warm() && each.memory_bytes == 0) each.memory_bytes = machine_.memory_of(each.agent.hello.process.pid);
  }
}

bool WaitingAgents::keep_too_much() const {
  uint64_t bytes = 0;
  for (const WaitingAgent& each : waiting_) bytes += each.memory_bytes;
  return bytes > 0 && bytes > machine_.usable_memory_bytes() / kMostPart && machine_.usable_memory_bytes() > 0;
}

// In a later turn, because a handler of the channel is running.
void WaitingAgents::forget(Incarnation incarnation) {
  loop_.post([this, alive = alive_, incarnation] {
    if (*alive)
      std::erase_if(waiting_, [&](const WaitingAgent& each) { return each.agent.hello.incarnation == incarnation; });
  });
}

// The agent itself decides whether its warm parent fits the job. A job without warm start does not take a warm agent.
std::optional<WaitingAgent> WaitingAgents::take(bool begins_warm) {
  std::optional<WaitingAgent> taken = begins_warm ? take_of_kind(true) : std::nullopt;
  return taken ? std::move(taken) : take_of_kind(false);
}

// Takes the newest agent: most of its memory is still in the CPU's caches.
std::optional<WaitingAgent> WaitingAgents::take_of_kind(bool warm) {
  const auto last =
      std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const WaitingAgent& each) { return each.warm() == warm; });
  if (last == waiting_.rend()) return std::nullopt;
  WaitingAgent taken = std::move(*last);
  resume_agent(host_, taken.guardian);
  waiting_.erase(std::next(last).base());
  return taken;
}

std::vector<IdleAgent> WaitingAgents::idle_agents() const {
  std::vector<IdleAgent> agents;
  for (const WaitingAgent& each : waiting_)
    agents.push_back({each.agent.hello.process.pid, each.agent.hello.warm, each.since, each.memory_bytes});
  return agents;
}

uint32_t WaitingAgents::end_idle_agents() {
  const auto count = static_cast<uint32_t>(waiting_.size());
  for (WaitingAgent& each : waiting_) dismiss(each);
  waiting_.clear();
  return count;
}

}  // namespace muster
