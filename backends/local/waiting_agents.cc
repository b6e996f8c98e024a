#include "backends/local/waiting_agents.h"

#include <algorithm>

#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// What they keep is memory that nobody uses meanwhile: of a framework, some hundred megabytes; of those that have nothing warm, three.
constexpr size_t kMostWarm = 2;
constexpr size_t kMostBare = 1;
// So little is left that others need it sooner.
constexpr uint32_t kScarcePermille = 50;
constexpr Duration kMemoryLook = std::chrono::seconds(5);
// Not as one arrives: others are about to hear that its job has ended.
constexpr Duration kFirstMemoryLook = std::chrono::milliseconds(100);

}  // namespace

WaitingAgents::~WaitingAgents() {
  *alive_ = false;
  loop_.cancel(memory_timer_);
}

void WaitingAgents::add(ArrivedAgent agent, ProcessHandle guardian) {
  make_room_for(!agent.hello.warm.empty());
  agent.channel->listen([](const AgentMessage&) {},
                        [this, alive = alive_, who = agent.hello.incarnation](const Status&) {
                          if (*alive) forget(who);
                        });
  waiting_.push_back({std::move(agent), loop_.now(), guardian});
  loop_.cancel(memory_timer_);
  watch_memory(kFirstMemoryLook);
}

// Of its kind, the oldest leave.
void WaitingAgents::make_room_for(bool warm) {
  const auto of_its_kind = [&](const WaitingAgent& each) { return each.warm() == warm; };
  const size_t most = warm ? kMostWarm : kMostBare;
  if (static_cast<size_t>(std::count_if(waiting_.begin(), waiting_.end(), of_its_kind)) >= most)
    send_away_first(of_its_kind);
}

void WaitingAgents::send_away_first(const std::function<bool(const WaitingAgent&)>& which) {
  const auto first = std::find_if(waiting_.begin(), waiting_.end(), which);
  if (first == waiting_.end()) return;
  dismiss_agent(loop_, std::move(first->agent.channel));
  waiting_.erase(first);
}

// One at a look: what it had is free a moment later.
void WaitingAgents::watch_memory(Duration after) {
  memory_timer_ = loop_.at(loop_.now() + after, [this] {
    const bool scarce = !waiting_.empty() && machine_.free_memory_permille().value_or(1000) < kScarcePermille;
    if (scarce) send_away_first([](const WaitingAgent&) { return true; });
    if (!waiting_.empty()) watch_memory(kMemoryLook);
  });
}

// In a turn of its own: we are inside its channel's handler.
void WaitingAgents::forget(Incarnation incarnation) {
  loop_.post([this, alive = alive_, incarnation] {
    if (*alive)
      std::erase_if(waiting_, [&](const WaitingAgent& each) { return each.agent.hello.incarnation == incarnation; });
  });
}

// Whether what a warm one has is of use, it finds out itself; jobs that begin nothing warm leave it to others.
std::optional<WaitingAgent> WaitingAgents::take(bool begins_warm) {
  std::optional<WaitingAgent> taken = begins_warm ? take_of_kind(true) : std::nullopt;
  return taken ? std::move(taken) : take_of_kind(false);
}

// The one that came last: its caches are the warmest.
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
