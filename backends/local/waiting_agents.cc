// Agents that came back from a job and wait for the next, with what they have warm or as they are: even to start one takes
// longer than all else that a short job needs.
#include <algorithm>

#include "backends/local/local_backend.h"
#include "core/port/send_away.h"

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

// Only one of ours, released from its job.
void LocalBackend::wait_for_a_job(ArrivedAgent agent) {
  const auto left = std::find_if(placements_.begin(), placements_.end(), [&](const auto& each) {
    return each.second.guardian == agent.hello.guardian && each.second.released;
  });
  if (left == placements_.end() || !keeps_agents()) return send_away(ports_.loop, std::move(agent.channel));
  const bool unwanted = left->second.unwanted;
  const ProcessHandle guardian = left->second.watched;
  ports_.loop.cancel(left->second.kill_timer);
  placements_.erase(left);
  if (unwanted) return send_away(ports_.loop, std::move(agent.channel));
  make_room_for(!agent.hello.warm.empty());
  agent.channel->listen([](const AgentMessage&) {},
                        [this, alive = alive_, who = agent.hello.incarnation](const Status&) {
                          if (*alive) forget_waiting(who);
                        });
  waiting_.push_back({std::move(agent), ports_.loop.now(), guardian});
  ports_.loop.cancel(memory_timer_);
  watch_memory(kFirstMemoryLook);
}

// Of its kind, the oldest leave.
void LocalBackend::make_room_for(bool warm) {
  const auto of_its_kind = [&](const Waiting& each) { return each.warm() == warm; };
  const size_t most = warm ? kMostWarm : kMostBare;
  if (static_cast<size_t>(std::count_if(waiting_.begin(), waiting_.end(), of_its_kind)) >= most)
    send_away_first(of_its_kind);
}

void LocalBackend::send_away_first(const std::function<bool(const Waiting&)>& which) {
  const auto first = std::find_if(waiting_.begin(), waiting_.end(), which);
  if (first == waiting_.end()) return;
  send_away(ports_.loop, std::move(first->agent.channel));
  waiting_.erase(first);
}

// One at a look: what it had is free a moment later.
void LocalBackend::watch_memory(Duration after) {
  memory_timer_ = ports_.loop.at(ports_.loop.now() + after, [this] {
    const bool scarce = !waiting_.empty() && ports_.machine.free_memory_permille().value_or(1000) < kScarcePermille;
    if (scarce) send_away_first([](const Waiting&) { return true; });
    if (!waiting_.empty()) watch_memory(kMemoryLook);
  });
}

// In a turn of its own: we are inside its channel's handler.
void LocalBackend::forget_waiting(Incarnation incarnation) {
  ports_.loop.post([this, alive = alive_, incarnation] {
    if (*alive)
      std::erase_if(waiting_, [&](const Waiting& each) { return each.agent.hello.incarnation == incarnation; });
  });
}

// The one that came last: its caches are the warmest.
std::optional<LocalBackend::Waiting> LocalBackend::take_waiting(bool warm) {
  const auto last =
      std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Waiting& each) { return each.warm() == warm; });
  if (last == waiting_.rend()) return std::nullopt;
  Waiting taken = std::move(*last);
  waiting_.erase(std::next(last).base());
  return taken;
}

// Whether what a warm one has is of use, it finds out itself; jobs that begin nothing warm leave it to others.
bool LocalBackend::place_waiting(const NodeRef& node, const std::function<void(Result<PlacedAgent>)>& done) {
  const bool begins_warm = warm_.count(node.job) > 0;
  while (true) {
    std::optional<Waiting> taken = begins_warm ? take_waiting(true) : std::nullopt;
    if (!taken) taken = take_waiting(false);
    if (!taken) return false;
    ArrivedAgent agent = std::move(taken->agent);
    if (ports_.host.identity(taken->guardian) != agent.hello.guardian) continue;  // it has ended
    Node& placement = placements_[node];
    placement.watched = taken->guardian;
    placement.guardian = agent.hello.guardian;
    placement.agent = agent.hello.process;
    const auto placed = std::make_shared<PlacedAgent>(PlacedAgent{std::move(agent), token_of(placement)});
    ports_.loop.post([done, placed] { done(std::move(*placed)); });
    return true;
  }
}

std::vector<IdleAgent> LocalBackend::idle_agents() const {
  std::vector<IdleAgent> agents;
  for (const Waiting& each : waiting_)
    agents.push_back({each.agent.hello.process.pid, each.agent.hello.warm, each.since});
  return agents;
}

// Those that are about to come back included.
uint32_t LocalBackend::end_idle_agents() {
  for (auto& [node, placement] : placements_) placement.unwanted = placement.released;
  const auto count = static_cast<uint32_t>(waiting_.size());
  for (Waiting& each : waiting_) send_away(ports_.loop, std::move(each.agent.channel));
  waiting_.clear();
  return count;
}

}  // namespace muster
