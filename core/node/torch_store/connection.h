// SPDX-License-Identifier: Apache-2.0
// Connection: a non-blocking TCP connection. It passes received bytes to its ConnectionHandler and sends bytes at once if it can,
// later otherwise. Used on the thread of its StoreServer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/node/torch_store/poller.h"
#include "core/system/posix/unique_fd.h"

namespace muster::tcpstore {

class StoreServer;

// Handles the bytes of one connection.
class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;
  // Bytes were received. False: the connection must end.
  virtual bool arrived(std::string_view bytes) = 0;
  // All bytes have been sent. False: the connection must end.
  virtual bool drained() { return true; }
  // The connection has ended, closed by either side.
  virtual void ended() {}
  // Number of bytes that it buffers.
  virtual size_t held() const { return 0; }
};

class Connection final : public Pollable {
 public:
  enum class State { on_its_way, open };
  // If both ends stop reading while their output is unsent, both wait for ever; so one end must read always.
  enum class Reads { when_all_is_sent, always };

  Connection(StoreServer& server, UniqueFd fd, uint64_t number, State state, Reads reads);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void ready(uint32_t events) override;
  void set_handler(std::unique_ptr<ConnectionHandler> handler) { handler_ = std::move(handler); }

  // Takes the bytes out of `bytes`. Bytes that cannot be sent now are sent later; with Reads::when_all_is_sent nothing is
  // read until then. If more than Limits::reply bytes are unsent, the connection ends.
  void send(std::string& bytes);
  size_t unsent() const { return out_.size() - sent_; }

  // Ends the connection at the end of this turn; may be called from any handler.
  void end();
  bool has_ended() const { return ended_; }
  // After end(): notifies the handler and destroys it.
  void leave();

  // While held, nothing is read from a connection with Reads::when_all_is_sent.
  void hold(bool held);

 private:
  bool has_arrived();
  bool go_on_sending();
  void read();
  bool flush();
  bool reads() const;
  void listen_for();
  void account();

  StoreServer& server_;
  UniqueFd fd_;
  const uint64_t number_;
  State state_;
  const Reads reads_;
  bool held_ = false;
  bool ended_ = false;
  uint32_t events_ = 0;
  size_t sent_ = 0;  // of out_
  size_t accounted_ = 0;
  std::string out_;
  std::unique_ptr<ConnectionHandler> handler_;
};

}  // namespace muster::tcpstore
