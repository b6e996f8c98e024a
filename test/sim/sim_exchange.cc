// SPDX-License-Identifier: Apache-2.0
#include "test/sim/sim_exchange.h"

namespace muster::sim {

void SimExchange::start(const ServiceStart& start, ServiceEvents events) {
  stop();
  if (!start.desired.mpi || !start.desired.run) return events.ready();
  task_ = *start.desired.mpi;
  events_ = std::move(events);
  round_ = 0;
  exchange_ = std::make_unique<NodeExchange>(loop_, start.rendezvous, task_.nodes, task_.node);
  if (++exchanges_.starts[task_.name_space] > task_.nodes.size()) breach("a service started twice");
  next_round();
}

void SimExchange::stop() {
  loop_.cancel(timer_);
  exchange_.reset();
}

void SimExchange::next_round() {
  if (round_ == exchanges_.rounds_before) events_.ready();
  if (round_ == exchanges_.rounds || !exchange_) return;
  ++round_;
  timer_ = loop_.at(loop_.now() + exchanges_.pause(task_, round_), [this] { enter(); });
}

void SimExchange::enter() {
  NodeExchange::Round round{"sim/" + task_.name_space, round_, value_of(task_.node), {}};
  for (const MpiNode& node : task_.nodes) round.ranks.push_back(node.ranks.front());
  exchange_->meet(std::move(round), [this](const Status& status, const auto& values) { met(status, values); });
}

void SimExchange::met(const Status& status, const std::vector<std::string>& values) {
  if (!went_well(status)) return;
  bool right = values.size() == task_.nodes.size();
  for (uint32_t node = 0; right && node < values.size(); ++node) right = values[node] == value_of(node);
  if (!right) breach("a round gave other values than those of its nodes");
  ++exchanges_.met;
  exchange_->keep(key_of(task_.node), value_of(task_.node), [this](const Status& refused) { went_well(refused); });
  exchange_->wait_for(key_of((task_.node + 1) % static_cast<uint32_t>(task_.nodes.size())),
                      [this](const Status& answer, const std::string& value) { asked(answer, value); });
}

void SimExchange::asked(const Status& status, const std::string& value) {
  if (!went_well(status)) return;
  if (value != value_of((task_.node + 1) % static_cast<uint32_t>(task_.nodes.size())))
    breach("a node got another value than its neighbour keeps");
  next_round();
}

// failed_precondition: the attempt has ended, and this node will be told.
bool SimExchange::went_well(const Status& status) {
  if (!status.ok() && status.code() != Code::failed_precondition) breach(status.message());
  return status.ok();
}

std::string SimExchange::value_of(uint32_t node) const {
  return task_.name_space + " node " + std::to_string(node) + " round " + std::to_string(round_);
}

std::string SimExchange::key_of(uint32_t node) const {
  return "sim/" + task_.name_space + "/asked/" + std::to_string(round_) + "/" + std::to_string(node);
}

void SimExchange::breach(const std::string& what) {
  exchanges_.breaches.push_back(task_.name_space + ", node " + std::to_string(task_.node) + ", round " +
                                std::to_string(round_) + ": " + what);
}

}  // namespace muster::sim
