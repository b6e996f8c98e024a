// SPDX-License-Identifier: Apache-2.0
#include "backends/local/waiting_agents.h"

#include <algorithm>

#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// Waiting agents use memory: with a warm parent some hundred MB, because a framework is loaded; without one 3 MB.
constexpr size_t kMostWarm = 2;
constexpr size_t kMostBare = 1;
// Below this share of free memory, agents are dismissed one by one.
constexpr uint32_t kScarcePermille = 50;
constexpr Duration kMemoryCheckInterval = std::chrono::seconds(5);
// A delay after an agent arrives, because clients are about to be told that its job has ended.
constexpr Duration kFirstMemoryCheck = std::chrono::milliseconds(100);

}  // namespace

WaitingAgents::~WaitingAgents() {
  *alive_ = false;
  loop_.cancel(memory_timer_);
}

void WaitingAgents::add(ArrivedAgent agent, ProcessHandle guardian) {
  dismiss_if_full(!agent.hello.warm.empty());
  agent.channel->listen([](const AgentMessage&) {},
                        [this, alive = alive_, who = agent.hello.incarnation](const Status&) {
                          if (*alive) forget(who);
                        });
  waiting_.push_back({std::move(agent), loop_.now(), guardian});
  loop_.cancel(memory_timer_);
  watch_memory(kFirstMemoryCheck);
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
  dismiss_agent(loop_, std::move(first->agent.channel));
  waiting_.erase(first);
}

// Dismisses one agent per check, because its memory is free only a moment later.
void WaitingAgents::watch_memory(Duration after) {
  memory_timer_ = loop_.at(loop_.now() + after, [this] {
    const bool scarce = !waiting_.empty() && machine_.free_memory_permille().value_or(1000) < kScarcePermille;
    if (scarce) dismiss_first([](const WaitingAgent&) { return true; });
    if (!waiting_.empty()) watch_memory(kMemoryCheckInterval);
  });
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
  waiting_.erase(std::next(last).base());
  return taken;
}

std::vector<IdleAgent> WaitingAgents::idle_agents() const {
  std::vector<IdleAgent> agents;
  for (const WaitingAgent& each : waiting_)
    agents.push_back({each.agent.hello.process.pid, each.agent.hello.warm, each.since});
  return agents;
}

uint32_t WaitingAgents::end_idle_agents() {
  const auto count = static_cast<uint32_t>(waiting_.size());
  for (WaitingAgent& each : waiting_) dismiss_agent(loop_, std::move(each.agent.channel));
  waiting_.clear();
  return count;
}

}  // namespace muster
