// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/store_service.h"

#include "core/node/torch_store/frames.h"

namespace muster::tcpstore {
namespace {

// A client with its own connection.
class Single final : public ConnectionHandler, public Carrier {
 public:
  Single(StoreState& state, Connection& connection)
      : state_(state),
        connection_(connection),
        session_(state, *this, 0) {}

  bool arrived(std::string_view bytes) override {
    bool good = session_.feed(bytes);
    deliver(state_.store);
    return good && drained();
  }
  bool drained() override {
    bool good = true;
    while (good && session_.stalled() && connection_.unsent() == 0) {
      good = session_.feed({});
      deliver(state_.store);
    }
    return good;
  }
  size_t held() const override { return session_.held(); }
  void carry(Session& session) override { connection_.send(session.out); }

 private:
  StoreState& state_;
  Connection& connection_;
  Session session_;
};

// The connection of a store proxy, with its clients.
class Shared final : public ConnectionHandler, public Carrier {
 public:
  Shared(StoreState& state, Connection& connection) : state_(state), connection_(connection) {}

  bool arrived(std::string_view bytes) override {
    if (!rest_.empty()) {
      rest_ += bytes;
      return true;
    }
    work(bytes);
    rest_ = bytes;
    return true;
  }

  bool drained() override {
    const std::string before = std::exchange(rest_, {});
    std::string_view bytes = before;
    work(bytes);
    rest_.insert(0, bytes);
    return true;
  }

  size_t held() const override { return rest_.size() + held_; }

  void carry(Session& session) override {
    put_frame(out_, session.number, session.out);
    session.out.clear();
    connection_.send(out_);
  }

 private:
  // Handles frames until replies are unsent: then the store proxy must read before more requests are executed.
  void work(std::string_view& bytes) {
    Piece piece;
    while (connection_.unsent() == 0 && !connection_.has_ended()) {
      if (stalled_ != 0) {
        feed(stalled_, {});
      } else if (reader_.next(bytes, piece)) {
        feed(piece.client, piece.bytes);
      } else {
        return;
      }
    }
  }

  void feed(uint32_t client, std::string_view bytes) {
    const bool resumed = std::exchange(stalled_, 0) == client;
    auto found = sessions_.find(client);
    if (bytes.empty() && !resumed) {
      if (found != sessions_.end()) drop(found);
      return;
    }
    if (found == sessions_.end() && sessions_.size() >= state_.limits.clients) {
      state_.refused(too_many_clients(state_.limits.clients));
      return announce_end(client);
    }
    if (found == sessions_.end())
      found = sessions_.emplace(client, std::make_unique<Session>(state_, *this, client)).first;
    held_ -= found->second->held();
    const bool good = found->second->feed(bytes);
    held_ += found->second->held();
    deliver(state_.store);
    if (good && found->second->stalled()) stalled_ = client;
    if (good) return;
    drop(found);
    announce_end(client);
  }

  void announce_end(uint32_t client) {
    put_frame(out_, client, {});
    connection_.send(out_);
  }

  using Sessions = std::unordered_map<uint32_t, std::unique_ptr<Session>>;
  void drop(Sessions::iterator found) {
    held_ -= found->second->held();
    sessions_.erase(found);
  }

  StoreState& state_;
  Connection& connection_;
  FrameReader reader_;
  Sessions sessions_;
  uint32_t stalled_ = 0;  // the client whose requests wait until replies are sent; 0: none
  std::string rest_;
  std::string out_;
  size_t held_ = 0;
};

// A connection before its greeting; becomes a Single or a Shared.
class Undecided final : public ConnectionHandler {
 public:
  Undecided(StoreState& state, Connection& connection) : state_(state), connection_(connection) {}

  bool arrived(std::string_view bytes) override {
    if (handler_) return handler_->arrived(bytes);
    begun_ += bytes;
    size_t greeting = 0;
    const Dialect dialect = dialect_of(begun_, greeting);
    if (dialect == Dialect::unknown) return true;
    std::string begun = std::exchange(begun_, {});
    if (dialect == Dialect::carrier) {
      handler_ = std::make_unique<Shared>(state_, connection_);
      begun.erase(0, greeting);
    } else {
      handler_ = std::make_unique<Single>(state_, connection_);
    }
    return handler_->arrived(begun);
  }
  bool drained() override { return !handler_ || handler_->drained(); }
  void ended() override { handler_.reset(); }
  size_t held() const override { return handler_ ? handler_->held() : begun_.size(); }

 private:
  StoreState& state_;
  Connection& connection_;
  std::string begun_;
  std::unique_ptr<ConnectionHandler> handler_;
};

}  // namespace

void StoreService::begin(StoreServer& server) {
  state_.refused = [&server](const Refusal& why) { server.refusal_log().tell(why); };
}

std::unique_ptr<ConnectionHandler> StoreService::make_handler(Connection& connection) {
  return std::make_unique<Undecided>(state_, connection);
}

}  // namespace muster::tcpstore
