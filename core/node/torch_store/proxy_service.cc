// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/proxy_service.h"

#include "core/node/torch_store/frames.h"
#include "core/node/torch_store/protocol.h"

namespace muster::tcpstore {
namespace {

constexpr std::chrono::milliseconds kDialAgain{50};

}  // namespace

// A client of this node.
class Carried final : public ConnectionHandler {
 public:
  Carried(ProxyService& proxy, uint32_t number, Connection& connection) : proxy_(proxy), number_(number) {
    proxy_.clients_[number_] = &connection;
  }

  bool arrived(std::string_view bytes) override {
    if (proxy_.upstream_ == nullptr) return false;
    put_frame(proxy_.out_, number_, bytes);
    proxy_.upstream_->send(proxy_.out_);
    if (proxy_.upstream_->unsent() > proxy_.server_->limits().pause) proxy_.server_->hold_all(true);
    return true;
  }

  void ended() override {
    proxy_.clients_.erase(number_);
    if (proxy_.upstream_ == nullptr) return;
    put_frame(proxy_.out_, number_, {});
    proxy_.upstream_->send(proxy_.out_);
  }

 private:
  ProxyService& proxy_;
  uint32_t number_;
};

// The connection to the store.
class Upstream final : public ConnectionHandler {
 public:
  explicit Upstream(ProxyService& proxy) : proxy_(proxy) {}

  bool arrived(std::string_view bytes) override {
    Piece piece;
    while (reader_.next(bytes, piece)) {
      const auto found = proxy_.clients_.find(piece.client);
      if (found == proxy_.clients_.end()) continue;  // it has disconnected meanwhile
      if (piece.bytes.empty()) {
        found->second->end();
      } else {
        reply_ = piece.bytes;
        found->second->send(reply_);
      }
    }
    return true;
  }
  // The greeting is sent first, so the first call means that the connection is established.
  bool drained() override {
    proxy_.server_->accept_clients(true);
    proxy_.server_->hold_all(false);
    return true;
  }
  void ended() override { proxy_.lost(); }

 private:
  ProxyService& proxy_;
  FrameReader reader_;
  std::string reply_;
};

void ProxyService::begin(StoreServer& server) {
  server_ = &server;
  server_->accept_clients(false);
  dial();
}

void ProxyService::dial() {
  Result<UniqueFd> fd = connecting_socket(there_);
  if (!fd.ok()) return dial_later();
  upstream_ = &server_->adopt(std::move(*fd), Connection::State::on_its_way, Connection::Reads::always);
  upstream_->set_handler(std::make_unique<Upstream>(*this));
  std::string greeting = greeting_of(Dialect::carrier);
  upstream_->send(greeting);
}

void ProxyService::dial_later() {
  server_->later(kDialAgain, [this] { dial(); });
}

void ProxyService::lost() {
  upstream_ = nullptr;
  server_->accept_clients(false);
  server_->end_all();
  dial_later();
}

std::unique_ptr<ConnectionHandler> ProxyService::make_handler(Connection& connection) {
  return std::make_unique<Carried>(*this, next_++, connection);
}

}  // namespace muster::tcpstore
