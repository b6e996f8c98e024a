// Session: one client's bytes, as requests to the store; and how whoever carries the client learns of replies. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/node/torch_store/key_store.h"
#include "core/node/torch_store/protocol.h"

namespace muster::tcpstore {

class Session;

// What the sessions of one store share.
struct StoreState {
  explicit StoreState(const Limits& its_limits) : limits(its_limits), store(limits) {}
  StoreState(const StoreState&) = delete;
  StoreState& operator=(const StoreState&) = delete;

  const Limits limits;
  KeyStore store;
  Request request;                                                      // the one under way; its lists keep their room
  std::function<void(const Refusal&)> refused = [](const Refusal&) {};  // why a client is to end
};

// What stands between a client and its replies: a connection, or one that many share.
class Carrier {
 public:
  virtual ~Carrier() = default;
  // `session.out` holds replies. May end nobody: it is called while others are served.
  virtual void carry(Session& session) = 0;
};

class Session final : public StoreClient {
 public:
  // State and carrier must outlive it. `number` is the carrier's name for it.
  Session(StoreState& state, Carrier& carrier, uint32_t number)
      : number(number),
        state_(state),
        carrier_(carrier),
        reader_(state.limits) {}
  ~Session() override { state_.store.forget(*this); }

  // What came from the client. False: it broke the protocol or a limit and must end. With more than Limits::pause bytes
  // of replies in `out` it is stalled: its requests wait until these are gone and feed("") is called.
  bool feed(std::string_view bytes);
  bool stalled() const { return stalled_; }

  // Bytes of requests not carried out yet.
  size_t held() const { return in_.size(); }
  void deliver() { carrier_.carry(*this); }

  const uint32_t number;

 private:
  bool consume(std::string_view bytes, size_t& used);
  bool refuse(const Refusal& why) const;

  StoreState& state_;
  Carrier& carrier_;
  RequestReader reader_;
  Dialect dialect_ = Dialect::unknown;
  bool stalled_ = false;
  std::string in_;
};

// Tells the carriers of all that got replies.
void deliver(KeyStore& store);

}  // namespace muster::tcpstore
