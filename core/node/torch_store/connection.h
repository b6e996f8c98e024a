// Connection: a TCP connection that says what arrived to its Talk and sends what it is given, at once where it can. On
// the thread of its Front.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/node/torch_store/poller.h"
#include "core/system/posix/unique_fd.h"

namespace muster::tcpstore {

class Front;

// What a connection is for.
class Talk {
 public:
  virtual ~Talk() = default;
  // False: the connection must end.
  virtual bool arrived(std::string_view bytes) = 0;
  // All that was to be sent is sent. False as above.
  virtual bool drained() { return true; }
  // The connection has ended, from whichever side.
  virtual void ended() {}
  // Bytes kept for later.
  virtual size_t held() const { return 0; }
};

class Connection final : public Pollable {
 public:
  enum class State { on_its_way, open };
  // Two ends that both read nothing while the other does not read would wait for ever, so one of them must always read.
  enum class Reads { when_all_is_sent, always };

  Connection(Front& front, UniqueFd fd, uint64_t number, State state, Reads reads);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void ready(uint32_t events) override;
  void give(std::unique_ptr<Talk> talk) { talk_ = std::move(talk); }

  // Takes the bytes away. What cannot be sent now is sent later, and nothing is read meanwhile; with more than
  // Limits::reply of it the connection ends.
  void send(std::string& bytes);
  size_t unsent() const { return out_.size() - sent_; }

  // Ends it with this turn; may be called from wherever.
  void end();
  bool has_ended() const { return ended_; }
  // The last words of its talk, after the end.
  void leave();

  // While it is held nothing is read from it, if it is one that need not always read.
  void hold(bool held);

 private:
  bool has_arrived();
  bool go_on_sending();
  void read();
  bool flush();
  bool reads() const;
  void listen_for();
  void account();

  Front& front_;
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
  std::unique_ptr<Talk> talk_;
};

}  // namespace muster::tcpstore
