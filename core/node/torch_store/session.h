// SPDX-License-Identifier: Apache-2.0
// Session: parses one client's bytes into requests to the store, and notifies the client's Carrier of replies. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/node/torch_store/key_store.h"
#include "core/node/torch_store/protocol.h"

namespace muster::tcpstore {

class Session;

// State shared by the sessions of one store.
struct StoreState {
  explicit StoreState(const Limits& its_limits) : limits(its_limits), store(limits) {}
  StoreState(const StoreState&) = delete;
  StoreState& operator=(const StoreState&) = delete;

  const Limits limits;
  KeyStore store;
  Request request;                                                      // the current one; reused to save allocations
  std::function<void(const Refusal&)> refused = [](const Refusal&) {};  // called before a client is disconnected
};

// Sends replies to a client, over its own connection or over one that many clients share.
class Carrier {
 public:
  virtual ~Carrier() = default;
  // Sends `session.out`. Must not end a session: it is called while another client is served.
  virtual void carry(Session& session) = 0;
};

class Session final : public StoreClient {
 public:
  // `state` and `carrier` must outlive the session. `number` identifies the session to its carrier.
  Session(StoreState& state, Carrier& carrier, uint32_t number)
      : number(number),
        state_(state),
        carrier_(carrier),
        reader_(state.limits) {}
  ~Session() override { state_.store.forget(*this); }

  // Handles bytes from the client. False: it broke the protocol or a limit and must be disconnected. With more than
  // Limits::pause bytes of replies in `out` the session is stalled: further requests wait until the replies have been
  // sent and feed("") is called.
  bool feed(std::string_view bytes);
  bool stalled() const { return stalled_; }

  // Bytes of requests that are not executed yet.
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

// Calls the carriers of all sessions that got replies.
void deliver(KeyStore& store);

}  // namespace muster::tcpstore
