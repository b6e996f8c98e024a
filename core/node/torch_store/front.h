// Front: a thread that listens, admits and talks to clients over TCP. What is talked is a Service's business.
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
  // On the front's thread, once, before the first client.
  virtual void begin(Front&) {}
  // For a client that was admitted.
  virtual std::unique_ptr<Talk> talk(Connection& connection) = 0;
};

class Front {
 public:
  static constexpr size_t kBuffer = 64 << 10;

  // Listens with all of `listeners`; nobody is accepted before admit(). The thread ends with the object. Not valid(): the
  // process has no more descriptors, and nothing happens.
  Front(std::vector<UniqueFd> listeners, const Limits& limits, std::unique_ptr<Service> service);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  bool valid() const { return poller_.valid() && wake_.valid(); }

  // From any thread: who may connect from now on.
  void admit(const std::vector<std::string>& addresses);

  // From any thread: how long ago so many clients had been accepted; before admit().
  void expect(uint32_t clients) { expected_ = clients; }
  std::optional<Duration> met_since() const;

  // From any thread.
  Troubles& troubles() { return troubles_; }

  // For services and connections, on the front's thread.
  Poller& poller() { return poller_; }
  const Limits& limits() const { return limits_; }
  char* buffer() { return buffer_.get(); }
  // It has just been read from.
  void read_from(int fd) { last_read_ = fd; }
  Connection& adopt(UniqueFd fd, Connection::State state, Connection::Reads reads);
  // A connection holds `now` bytes and held `before`. False: that is too much.
  bool account(size_t before, size_t now);
  void bury(uint64_t connection) { ended_.push_back(connection); }
  // Stops or goes on to read from all clients.
  void hold_all(bool held);
  void end_all();
  // Whether clients are accepted, as far as the service is concerned.
  void accept_clients(bool yes);
  void later(std::chrono::milliseconds after, std::function<void()> then);

 private:
  // A Pollable for a function.
  struct Bell final : Pollable {
    std::function<void()> rung;
    void ready(uint32_t) override { rung(); }
  };
  using Clock = std::chrono::steady_clock;

  void run();
  void turn();
  bool look_on();
  bool asker_runs_here() const;
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
  bool served_ = false;  // somebody in the last turn
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

  // mutex: admit() is called from the loop's thread
  std::mutex guard_;
  std::optional<std::vector<std::string>> admitted_;
  Troubles troubles_;
  std::atomic<bool> stop_ = false;
  std::atomic<uint32_t> expected_ = 0;
  std::atomic<Clock::time_point> met_ = Clock::time_point();
  uint32_t accepted_ = 0;
  std::thread thread_;
};

}  // namespace muster::tcpstore
