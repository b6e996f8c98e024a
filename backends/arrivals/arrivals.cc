// SPDX-License-Identifier: Apache-2.0
#include "backends/arrivals/arrivals.h"

#include "core/base/text.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

constexpr size_t kLongestName = 255;

}  // namespace

std::string shown_name(const std::string& text) { return escaped(text.substr(0, kLongestName)); }

Arrivals::Ticket Arrivals::add(ArrivedAgent agent, std::function<void(Ticket)> left) {
  const Ticket ticket = ++last_;
  agent.channel->listen([](const AgentMessage&) {},
                        [this, alive = alive_, ticket, left = std::move(left)](const Status&) {
                          if (*alive && left && agents_.count(ticket) > 0) left(ticket);
                        });
  agents_.emplace(ticket, std::move(agent));
  return ticket;
}

const ArrivedAgent* Arrivals::find(Ticket ticket) const {
  const auto found = agents_.find(ticket);
  return found == agents_.end() ? nullptr : &found->second;
}

std::optional<ArrivedAgent> Arrivals::take(Ticket ticket) {
  auto taken = agents_.extract(ticket);
  if (taken.empty()) return std::nullopt;
  return std::move(taken.mapped());
}

void Arrivals::dismiss_agent(Ticket ticket, const std::string& why, bool succeeded) {
  if (auto agent = take(ticket)) muster::dismiss_agent(loop_, std::move(agent->channel), why, succeeded);
}

void Arrivals::forget(Ticket ticket) {
  auto agent = take(ticket);
  // Destroyed in a later turn, because a handler of the channel may be running.
  if (agent) loop_.post([gone = std::shared_ptr<ChannelToAgent>(std::move(agent->channel))] {});
}

void Arrivals::speak() {
  for (const auto& [ticket, agent] : agents_) agent.channel->send(JournalCopy{});
}

}  // namespace muster
