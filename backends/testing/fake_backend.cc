// SPDX-License-Identifier: Apache-2.0
#include "backends/testing/fake_backend.h"

#include <algorithm>
#include <utility>

#include "core/job/plan/visible_gpus.h"

namespace muster {
namespace {

constexpr Duration kLeaveGrace = std::chrono::seconds(10);

}  // namespace

FakeBackend::FakeBackend(Loop& loop, Inventory machine, FakeAgents agents, const Capabilities& capabilities)
    : loop_(loop),
      machine_(std::move(machine)),
      agents_(std::move(agents)),
      capabilities_(capabilities) {}

FakeBackend::~FakeBackend() {
  *alive_ = false;
  for (const auto& [node, placement] : placements_) loop_.cancel(placement.kill_timer);
}

void FakeBackend::later(std::function<void()> work) {
  loop_.post([alive = alive_, work = std::move(work)] {
    if (*alive) work();
  });
}

Result<Plan> FakeBackend::plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) {
  Inventory machine = machine_;
  machine.gpus = visible_gpus(machine.gpus, origin.cuda_visible_devices);
  Result<Plan> whole = plan_on_one_machine(spec, machine);
  if (!whole.ok() || held.empty()) return whole;
  Result<Plan> now = plan_on_one_machine(spec, without(machine, held));
  if (now.ok()) return now;
  return Status(Code::unavailable, now.status().message());
}

void FakeBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  if (frozen_) return;
  const Result<int64_t> guardian = agents_.start(node);
  if (!guardian.ok()) return later([done, status = guardian.status()] { done(status); });
  placements_[node] = {*guardian, std::move(done), 0, false};
}

void FakeBackend::agent_arrived(ArrivedAgent agent) {
  for (auto& [node, placement] : placements_) {
    if (placement.guardian != agent.hello.guardian.pid || !placement.done) continue;
    PlacedAgent placed{std::move(agent), std::to_string(placement.guardian)};
    return std::exchange(placement.done, nullptr)(std::move(placed));
  }
  agent.channel->send(Dismiss{});
  loop_.at(loop_.now() + kLeaveGrace, [gone = std::shared_ptr<ChannelToAgent>(std::move(agent.channel))] {});
}

void FakeBackend::adopt(const NodeRef& node, const std::string& token) {
  const int64_t guardian = std::strtoll(token.c_str(), nullptr, 10);
  if (agents_.alive(guardian)) {
    placements_[node] = {guardian, nullptr, 0, false};
    return;
  }
  later([this, node] { lost_(node, "its agent ended while no controller ran"); });
}

void FakeBackend::guardian_ended(int64_t guardian, const std::string& how) {
  const auto found = std::find_if(placements_.begin(), placements_.end(),
                                  [&](const auto& entry) { return entry.second.guardian == guardian; });
  if (found == placements_.end() || frozen_) return;
  const auto [node, placement] = *found;
  placements_.erase(found);
  loop_.cancel(placement.kill_timer);
  if (placement.done) {
    placement.done(Status(Code::unavailable, "its agent " + how + " before it reported"));
  } else if (!placement.released && lost_) {
    lost_(node, "its agent " + how);
  }
}

void FakeBackend::release(const NodeRef& node) {
  const auto found = placements_.find(node);
  if (found == placements_.end() || frozen_ || found->second.released) return;
  Placed& placement = found->second;
  placement.released = true;
  // An agent that has not reported cannot be dismissed by a message.
  if (std::exchange(placement.done, nullptr))
    return later([this, guardian = placement.guardian] { agents_.end(guardian); });
  placement.kill_timer =
      loop_.at(loop_.now() + kLeaveGrace, [this, guardian = placement.guardian] { agents_.end(guardian); });
}

}  // namespace muster
