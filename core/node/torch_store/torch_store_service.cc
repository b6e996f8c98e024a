// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/torch_store_service.h"

namespace muster {

Status TorchStoreService::reserve(const Bind& bind, const NodePorts& ports) {
  spare_.reset();
  if (!address_) address_ = bind.store_address;
  if (address_->empty()) return Status();
  auto store = ports_.stores.open({*address_, ports.meeting});
  if (!store.ok()) {
    ports_.log.info("cannot open the torch store at port " + std::to_string(ports.meeting) + ": " +
                    store.status().message());
    return store.status();
  }
  spare_ = std::move(*store);
  return Status();
}

void TorchStoreService::start(const ServiceStart& start, ServiceEvents events) {
  stop();
  events_ = std::move(events);
  store_ = std::move(spare_);
  if (!start.desired.store || !start.desired.run) {
    store_.reset();
    return events_.ready();
  }
  const Status opened = open(*start.desired.store, start.ports.meeting);
  opened.ok() ? events_.ready() : events_.failed(opened.with_context("the torch store").message());
}

Status TorchStoreService::open(const StoreTask& task, uint16_t port) {
  const bool ready = store_ && Endpoint{address_.value_or(""), port} == task.here;
  if (!ready) {
    store_.reset();
    auto opened = task.there ? ports_.stores.open_proxy(task.here, *task.there) : ports_.stores.open(task.here);
    if (!opened.ok()) return opened.status();
    store_ = std::move(*opened);
    // Hosts that joined later reach this host at another address; the next store listens there.
    if (!task.there) address_ = task.here.address;
  }
  store_->expect(task.clients);
  store_->admit(task.peers);
  return Status();
}

void TorchStoreService::stop() {
  report_problem();
  store_.reset();
  met_ = TimePoint();
}

void TorchStoreService::report_problem() {
  const std::optional<std::string> said = store_ ? store_->next_trouble() : std::nullopt;
  if (said) events_.trouble(std::string(kStoreTrouble) + host_ + " " + *said);
}

// The time at which the ranks met is computed once; computing it for each report would give slightly different times.
void TorchStoreService::tell(Report& report) {
  report_problem();
  const std::optional<Duration> ago = store_ && met_ == TimePoint() ? store_->met_since() : std::nullopt;
  if (ago) met_ = ports_.loop.now() - *ago;
  if (met_ != TimePoint()) report.met = met_;
}

}  // namespace muster
