// Agent, what its ranks meet at: the port leased for the next attempt, and the store that listens there.
#include "core/agent/agent.h"

namespace muster {
namespace {

constexpr int kPortsTried = 8;

}  // namespace

void Agent::lease_spare_port() {
  for (int tried = 0; tried < kPortsTried; ++tried) {
    Result<LeasedPort> port = ports_.leases.lease_port();
    if (!port.ok()) {
      spare_port_ = LeasedPort{};
      trouble_ = "the next attempt waits for a port on " + self_.host + ": " + port.status().message();
      return;
    }
    spare_port_ = std::move(*port);
    if (ready_store()) return;
  }
}

// The next attempt's store listens before its ranks are told of it, here and on other nodes. False: somebody who leases
// no ports took ours.
bool Agent::ready_store() {
  spare_store_.reset();
  if (!bind_ || bind_->store_address.empty()) return true;
  auto store = ports_.stores.open({bind_->store_address, spare_port_.port});
  if (!store.ok()) {
    ports_.log.info("no store at port " + std::to_string(spare_port_.port) + ": " + store.status().message());
    return false;
  }
  spare_store_ = std::move(*store);
  return true;
}

// Why there is none; empty: it is there, or none is wished.
std::string Agent::open_store(const Wish& wish) {
  hear_store();
  store_ = std::move(spare_store_);
  if (!wish.store || !wish.run) {
    store_.reset();
    return "";
  }
  const bool ready = store_ && StoreEndpoint{bind_->store_address, used_port_.port} == wish.store->here;
  if (!ready) {
    store_.reset();
    auto opened = wish.store->there ? ports_.stores.open_proxy(wish.store->here, *wish.store->there)
                                    : ports_.stores.open(wish.store->here);
    if (!opened.ok()) return opened.status().with_context("the ranks' store").message();
    store_ = std::move(*opened);
    // Hosts that came later reach us at another address: the next one is ready there.
    if (!wish.store->there) bind_->store_address = wish.store->here.address;
  }
  store_->expect(wish.store->clients);
  store_->admit(wish.store->peers);
  return "";
}

// One with each report, of which one trouble is told.
void Agent::hear_store() {
  const std::optional<std::string> said = store_ ? store_->next_trouble() : std::nullopt;
  if (said) trouble_ = std::string(kStoreTrouble) + self_.host + " " + *said;
}

// What is known once stays, lest clocks make it another time in each report.
TimePoint Agent::met() {
  const std::optional<Duration> ago = store_ ? store_->met_since() : std::nullopt;
  if (met_ == TimePoint()) met_ = ago ? ports_.loop.now() - *ago : desk_.met();
  return met_;
}

}  // namespace muster
