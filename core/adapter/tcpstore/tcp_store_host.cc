#include "core/adapter/tcpstore/tcp_store_host.h"

#include "core/adapter/tcpstore/front.h"
#include "core/adapter/tcpstore/proxy_service.h"
#include "core/adapter/tcpstore/store_service.h"

namespace muster {
namespace {

using namespace tcpstore;

class TcpStore final : public RankStore {
 public:
  TcpStore(UniqueFd listener, const Limits& limits, std::unique_ptr<Service> service)
      : port_(port_of(listener.get())),
        front_(std::move(listener), limits, std::move(service)) {}

  void admit(const std::vector<std::string>& addresses) override { front_.admit(addresses); }
  bool valid() const { return front_.valid(); }
  uint16_t port() const { return port_; }

 private:
  uint16_t port_;
  Front front_;
};

Result<std::unique_ptr<RankStore>> listen_at(const StoreEndpoint& here, const Limits& limits,
                                             std::unique_ptr<Service> service) {
  Result<UniqueFd> listener = listening_socket(here);
  if (!listener.ok()) return listener.status();
  auto store = std::make_unique<TcpStore>(std::move(*listener), limits, std::move(service));
  if (!store->valid()) return Status(Code::unavailable, "cannot open a store for the ranks: no more file descriptors");
  return std::unique_ptr<RankStore>(std::move(store));
}

}  // namespace

Result<std::unique_ptr<RankStore>> TcpStoreHost::open(const StoreEndpoint& here) {
  return listen_at(here, limits_, std::make_unique<StoreService>(limits_));
}

Result<std::unique_ptr<RankStore>> TcpStoreHost::open_proxy(const StoreEndpoint& here, const StoreEndpoint& there) {
  if (!address_of(there.address))
    return Status(Code::invalid_argument, "`" + there.address + "` is not a numeric address");
  return listen_at(here, limits_, std::make_unique<ProxyService>(there));
}

uint16_t TcpStoreHost::port(const RankStore& store) { return dynamic_cast<const TcpStore&>(store).port(); }

}  // namespace muster
