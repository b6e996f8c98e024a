// SPDX-License-Identifier: Apache-2.0
// StoreServer: a server thread that accepts, admits and serves TCP clients. A Service supplies the protocol.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/base/time.h"
#include "core/node/torch_store/admission.h"
#include "core/node/torch_store/busy_poll.h"
#include "core/node/torch_store/connection.h"
#include "core/node/torch_store/limits.h"
#include "core/node/torch_store/poller.h"
#include "core/node/torch_store/refusal.h"

namespace muster::tcpstore {

class Service {
 public:
  virtual ~Service() = default;
  // Called once on the server's thread, before the first client.
  virtual void begin(StoreServer&) {}
  // Creates the handler of an admitted client.
  virtual std::unique_ptr<ConnectionHandler> make_handler(Connection& connection) = 0;
};

class StoreServer {
 public:
  static constexpr size_t kBuffer = 64 << 10;

  // Listens with all of `listeners`; no client is accepted before admit(). The thread ends with the object. If the
  // process has no free file descriptors, valid() is false and no thread runs.
  StoreServer(std::vector<UniqueFd> listeners, const Limits& limits, std::unique_ptr<Service> service);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  bool valid() const { return poller_.valid() && wake_.valid(); }

  // Sets the addresses that may connect from now on. Any thread.
  void admit(const std::vector<std::string>& addresses);

  // Any thread. expect() is called before admit(). met_since(): the time since the expected number of clients had been
  // accepted; nullopt: not yet.
  void expect(uint32_t clients) { expected_ = clients; }
  std::optional<Duration> met_since() const;

  // Any thread.
  RefusalLog& refusal_log() { return refusal_log_; }

  // The rest is for services and connections, on the server's thread.
  Poller& poller() { return poller_; }
  const Limits& limits() const { return limits_; }
  char* buffer() { return buffer_.get(); }
  // `fd` has just been read from.
  void read_from(int fd) { last_read_ = fd; }
  Connection& adopt(UniqueFd fd, Connection::State state, Connection::Reads reads);
  // A connection that buffered `before` bytes now buffers `now`. False: all connections together exceed the limit.
  bool account(size_t before, size_t now);
  void bury(uint64_t connection) { ended_.push_back(connection); }
  // Stops or resumes reading from all clients.
  void hold_all(bool held);
  void end_all();
  // Set by the service: whether new clients are accepted.
  void accept_clients(bool yes);
  void later(std::chrono::milliseconds after, std::function<void()> then);

 private:
  // A Pollable that calls a function.
  struct Bell final : Pollable {
    std::function<void()> rung;
    void ready(uint32_t) override { rung(); }
  };
  using Clock = std::chrono::steady_clock;

  void run();
  void turn();
  bool poll_busily();
  bool client_runs_here() const;
  void woken();
  void accept();
  bool accept_one(int listener);
  bool admits(const SocketEnd& peer, const SocketEnd& here);
  void watch_listeners();
  void count_client();
  void announce_shutdown();
  int patience() const;

  const Limits limits_;
  std::vector<UniqueFd> listeners_;
  UniqueFd wake_;
  Poller poller_;
  Bell listener_bell_;
  Bell wake_bell_;
  BusyPoll busy_poll_;
  bool served_ = false;  // the last turn served a client
  int last_read_ = -1;
  std::unique_ptr<char[]> buffer_;
  std::unique_ptr<Service> service_;
  std::unordered_map<uint64_t, std::unique_ptr<Connection>> connections_;
  uint64_t next_ = 1;
  std::vector<uint64_t> ended_;  // in this turn
  std::vector<uint64_t> buried_;
  std::multimap<Clock::time_point, std::function<void()>> timers_;
  size_t buffered_ = 0;
  std::optional<Admission> admission_;
  bool service_accepts_ = true;
  bool out_of_descriptors_ = false;
  bool listening_ = false;

  // mutex: protects admitted_; admit() is called from other threads.
  std::mutex guard_;
  std::optional<std::vector<std::string>> admitted_;
  RefusalLog refusal_log_;
  std::atomic<bool> stop_ = false;
  std::atomic<uint32_t> expected_ = 0;
  std::atomic<Clock::time_point> met_ = Clock::time_point();
  uint32_t accepted_ = 0;
  std::thread thread_;
};

}  // namespace muster::tcpstore
