// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/node_services.h"

#include <algorithm>

namespace muster {

bool NodeServices::reserve(const Bind& bind, const NodePorts& ports) {
  return std::all_of(services_.begin(), services_.end(),
                     [&](const auto& service) { return service->reserve(bind, ports).ok(); });
}

void NodeServices::start(Beginning beginning) {
  beginning_.emplace(std::move(beginning));
  starting_ = 0;
  unready_.clear();
  failure_.clear();
  stopping_ = false;
  const std::optional<ServiceProgram>& program = beginning_->desired.program;
  sweep_ = beginning_->desired.run && program && !program->elsewhere ? Sweep::due : Sweep::none;
  start_next();
}

void NodeServices::start_next() {
  if (starting_ == services_.size()) return unready_.empty() ? finish("") : void();
  NodeService& service = *services_[starting_];
  unready_.insert(&service);
  const Beginning& begun = *beginning_;
  service.start({begun.bind, begun.desired, begun.ports, begun.ranks, begun.rendezvous}, events_of(service));
}

// The next service starts if this one is the last that has started.
void NodeServices::goes_on(const NodeService& service) {
  if (starting_ == services_.size() || services_[starting_].get() != &service) return;
  ++starting_;
  start_next();
}

void NodeServices::is_ready(NodeService& service) {
  if (unready_.erase(&service) == 0) return;
  for (const RankTask& task : beginning_->desired.tasks) beginning_->give(task.index, service.gift(task.index));
  if (starting_ < services_.size()) return goes_on(service);
  if (unready_.empty()) finish("");
}

void NodeServices::has_failed(const std::string& why) {
  if (starting()) return finish(why);
  failure_ = why;
  handlers_.failed(why);
}

// The rest of `beginning_` stays: a service may still use it while it reports that it is ready.
void NodeServices::finish(const std::string& failure) {
  starting_ = services_.size();
  unready_.clear();
  if (const auto done = std::exchange(beginning_->done, nullptr)) done(failure);
}

bool NodeServices::abandon() {
  if (!starting()) return false;
  starting_ = services_.size();
  unready_.clear();
  beginning_->done = nullptr;
  ++*round_;  // a failure of these services ends nothing any more
  return true;
}

ServiceEvents NodeServices::events_of(NodeService& service) {
  const auto guarded = [round = round_, of = *round_](auto handler) {
    return [=](const auto&... said) {
      if (*round == of) handler(said...);
    };
  };
  ServiceEvents events;
  events.next = guarded([this, &service] { goes_on(service); });
  events.ready = guarded([this, &service] { is_ready(service); });
  events.failed = guarded([this](const std::string& why) { has_failed(why); });
  events.trouble = guarded([this](const std::string& what) { handlers_.trouble(what); });
  events.kill = guarded([this](uint32_t index) { handlers_.kill(index); });
  // Passed on also while a service stops, so that the next attempt can start.
  events.changed = [this, alive = alive_] {
    if (!*alive) return;
    sweep_when_stopped();
    handlers_.changed();
  };
  return events;
}

void NodeServices::stop() {
  abandon();
  stopping_ = true;
  for (const auto& service : services_) service->stop();
  ++*round_;
  sweep_when_stopped();
}

bool NodeServices::all_stopped() const {
  return std::all_of(services_.begin(), services_.end(), [](const auto& service) { return service->stopped(); });
}

void NodeServices::sweep_when_stopped() {
  if (sweep_ != Sweep::due || !stopping_ || !all_stopped()) return;
  sweep_ = Sweep::runs;
  handlers_.sweep([this, alive = alive_](uint32_t) {
    if (!*alive) return;
    sweep_ = Sweep::none;
    handlers_.changed();
  });
}

bool NodeServices::stopped() const { return sweep_ == Sweep::none && all_stopped(); }

void NodeServices::tell(Report& report) const {
  report.service_failure = failure_;
  for (const auto& service : services_) service->tell(report);
}

RankFault NodeServices::fault(uint32_t index, const ExitStatus& exit) const {
  for (const auto& service : services_) {
    if (RankFault fault = service->fault(index, exit); !fault.why.empty()) return fault;
  }
  return {};
}

}  // namespace muster
