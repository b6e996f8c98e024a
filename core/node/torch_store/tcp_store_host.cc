// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/tcp_store_host.h"

#include "core/node/torch_store/proxy_service.h"
#include "core/node/torch_store/store_server.h"
#include "core/node/torch_store/store_service.h"

namespace muster {
namespace {

using namespace tcpstore;

class TcpStore final : public RankStore {
 public:
  TcpStore(std::vector<UniqueFd> listeners, const Limits& limits, std::unique_ptr<Service> service)
      : port_(port_of(listeners.front().get())),
        server_(std::move(listeners), limits, std::move(service)) {}

  void admit(const std::vector<std::string>& addresses) override { server_.admit(addresses); }
  void expect(uint32_t clients) override { server_.expect(clients); }
  std::optional<Duration> met_since() const override { return server_.met_since(); }
  std::optional<std::string> next_trouble() override { return server_.refusal_log().next(); }
  bool valid() const { return server_.valid(); }
  uint16_t port() const { return port_; }

 private:
  uint16_t port_;
  StoreServer server_;
};

// Listens at `here`; for 127.0.0.1 also at the same port of ::1 if this machine has it, because `localhost` means either.
Result<std::vector<UniqueFd>> listeners_at(const Endpoint& here) {
  std::vector<UniqueFd> listeners;
  std::vector<std::string> addresses{here.address};
  if (here.address == "127.0.0.1" && is_of_this_machine("::1")) addresses.push_back("::1");
  for (const std::string& address : addresses) {
    const uint16_t port = listeners.empty() ? here.port : port_of(listeners.front().get());
    Result<UniqueFd> listener = listening_socket({address, port});
    if (!listener.ok()) return listener.status();
    listeners.push_back(std::move(*listener));
  }
  return listeners;
}

Result<std::unique_ptr<RankStore>> listen_at(const Endpoint& here, const Limits& limits,
                                             std::unique_ptr<Service> service) {
  Result<std::vector<UniqueFd>> listeners = listeners_at(here);
  if (!listeners.ok()) return listeners.status();
  auto store = std::make_unique<TcpStore>(std::move(*listeners), limits, std::move(service));
  if (!store->valid()) return Status(Code::unavailable, "cannot open the torch store: no free file descriptors");
  return std::unique_ptr<RankStore>(std::move(store));
}

}  // namespace

Result<std::unique_ptr<RankStore>> TcpStoreHost::open(const Endpoint& here) {
  return listen_at(here, limits_, std::make_unique<StoreService>(limits_));
}

Result<std::unique_ptr<RankStore>> TcpStoreHost::open_proxy(const Endpoint& here, const Endpoint& there) {
  if (!address_of(there.address))
    return Status(Code::invalid_argument, "`" + there.address + "` is not a numeric IP address");
  return listen_at(here, limits_, std::make_unique<ProxyService>(there));
}

uint16_t TcpStoreHost::port(const RankStore& store) { return dynamic_cast<const TcpStore&>(store).port(); }

}  // namespace muster
