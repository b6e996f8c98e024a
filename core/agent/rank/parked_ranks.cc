// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/parked_ranks.h"

#include <csignal>

namespace muster {

ParkedRanks::ParkedRanks(Loop& loop, ProcessHost& host, std::function<void()> changed)
    : loop_(loop),
      host_(host),
      changed_(std::move(changed)) {}

ParkedRanks::~ParkedRanks() {
  loop_.cancel(kill_timer_);
  for (auto& [index, parked] : parked_) parked.process.route->to = nullptr;
}

void ParkedRanks::park(uint32_t index, RankProcess process, WorkerListener::Answer answer) {
  process.route->to = [this, index](const ExitStatus&) {
    parked_.erase(index);
    changed_();
  };
  parked_[index] = {std::move(process), std::move(answer)};
}

ParkedRanks::Taken ParkedRanks::take(uint32_t index) {
  auto node = parked_.extract(index);
  Parked& parked = node.mapped();
  parked.process.route->to = nullptr;
  return {std::move(parked.process), std::move(parked.answer)};
}

void ParkedRanks::end(Duration grace, const std::string& why) {
  for (auto& [index, parked] : parked_) {
    if (!parked.answer) continue;
    std::exchange(parked.answer, nullptr)(NewPlace{Status(Code::failed_precondition, why), {}});
    host_.signal(parked.process.handle, SIGTERM, SignalReach::process);
  }
  loop_.cancel(kill_timer_);
  if (grace <= Duration(0)) return kill_all();
  kill_timer_ = loop_.at(loop_.now() + grace, [this] { kill_all(); });
}

void ParkedRanks::kill_all() {
  for (const auto& [index, parked] : parked_) host_.signal(parked.process.handle, SIGKILL, SignalReach::group);
}

}  // namespace muster
