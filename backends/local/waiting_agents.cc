// Agents that came back from a job with something warm, and wait for the next.
#include <algorithm>

#include "backends/local/local_backend.h"
#include "core/port/send_away.h"

namespace muster {
namespace {

// What they keep is memory that nobody uses meanwhile: of a framework, some hundred megabytes.
constexpr size_t kMostWaiting = 2;
// So little is left that others need it sooner.
constexpr uint32_t kScarcePermille = 50;
constexpr Duration kMemoryLook = std::chrono::seconds(5);

}  // namespace

// Only one of ours, released from its job.
void LocalBackend::wait_for_a_job(ArrivedAgent agent) {
  const auto left = std::find_if(placements_.begin(), placements_.end(), [&](const auto& each) {
    return each.second.guardian == agent.hello.guardian && each.second.released;
  });
  if (left == placements_.end() || !capabilities().keeps_agents)
    return send_away(ports_.loop, std::move(agent.channel));
  ports_.loop.cancel(left->second.kill_timer);
  placements_.erase(left);
  if (waiting_.size() >= kMostWaiting) end_oldest_waiting();
  agent.channel->listen([](const AgentMessage&) {},
                        [this, alive = alive_, who = agent.hello.incarnation](const Status&) {
                          if (*alive) forget_waiting(who);
                        });
  waiting_.push_back({std::move(agent), ports_.loop.now()});
  watch_memory();
}

void LocalBackend::end_oldest_waiting() {
  send_away(ports_.loop, std::move(waiting_.front().agent.channel));
  waiting_.erase(waiting_.begin());
}

// One at a look: what it had is free a moment later.
void LocalBackend::watch_memory() {
  ports_.loop.cancel(memory_timer_);
  const bool scarce = !waiting_.empty() && ports_.machine.free_memory_permille().value_or(1000) < kScarcePermille;
  if (scarce) end_oldest_waiting();
  if (!waiting_.empty()) memory_timer_ = ports_.loop.at(ports_.loop.now() + kMemoryLook, [this] { watch_memory(); });
}

// In a turn of its own: we are inside its channel's handler.
void LocalBackend::forget_waiting(Incarnation incarnation) {
  ports_.loop.post([this, alive = alive_, incarnation] {
    if (*alive)
      std::erase_if(waiting_, [&](const Waiting& each) { return each.agent.hello.incarnation == incarnation; });
  });
}

// The one that came last: its caches are the warmest. Whether what it has is of use, its agent finds out.
bool LocalBackend::place_waiting(const NodeRef& node, const std::function<void(Result<PlacedAgent>)>& done) {
  while (!waiting_.empty()) {
    ArrivedAgent agent = std::move(waiting_.back().agent);
    waiting_.pop_back();
    Placement& placement = placements_[node];
    placement.guardian = agent.hello.guardian;
    placement.agent = agent.hello.process;
    if (!watch(node, placement.guardian, [this, node] { guardian_ended(node, "its agent ended"); })) {
      placements_.erase(node);
      continue;
    }
    const auto placed = std::make_shared<PlacedAgent>(PlacedAgent{std::move(agent), token_of(placement)});
    ports_.loop.post([done, placed] { done(std::move(*placed)); });
    return true;
  }
  return false;
}

std::vector<IdleAgent> LocalBackend::idle_agents() const {
  std::vector<IdleAgent> agents;
  for (const Waiting& each : waiting_)
    agents.push_back({each.agent.hello.process.pid, each.agent.hello.warm, each.since});
  return agents;
}

uint32_t LocalBackend::end_idle_agents() {
  const auto count = static_cast<uint32_t>(waiting_.size());
  for (Waiting& each : waiting_) send_away(ports_.loop, std::move(each.agent.channel));
  waiting_.clear();
  return count;
}

}  // namespace muster
