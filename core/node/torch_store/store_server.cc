// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/store_server.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "core/system/posix/signals_blocked.h"

namespace muster::tcpstore {
namespace {

constexpr int kAcceptedAtOnce = 64;  // then the connected clients are served
constexpr std::chrono::milliseconds kWithoutDescriptors{100};
// Longer than a client usually needs to wake up for a reply and send its next request.
constexpr std::chrono::microseconds kPollTime{60};

}  // namespace

StoreServer::StoreServer(std::vector<UniqueFd> listeners, const Limits& limits, std::unique_ptr<Service> service)
    : limits_(limits),
      listeners_(std::move(listeners)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      busy_poll_(std::thread::hardware_concurrency()),
      buffer_(std::make_unique<char[]>(kBuffer)),
      service_(std::move(service)) {
  listener_bell_.rung = [this] { accept(); };
  wake_bell_.rung = [this] { woken(); };
  poller_.add(wake_.get(), EPOLLIN, wake_bell_);
  if (!valid()) return;
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

StoreServer::~StoreServer() {
  stop_ = true;
  eventfd_write(wake_.get(), 1);
  if (thread_.joinable()) thread_.join();
  // Handlers refer to the service and to this object.
  connections_.clear();
}

void StoreServer::admit(const std::vector<std::string>& addresses) {
  {
    const std::lock_guard<std::mutex> lock(guard_);
    admitted_ = addresses;
  }
  eventfd_write(wake_.get(), 1);
}

void StoreServer::run() {
  service_->begin(*this);
  while (!stop_) turn();
}

void StoreServer::turn() {
  served_ = (served_ && poll_busily()) || poller_.turn(patience(), [this] { announce_shutdown(); });
  while (!timers_.empty() && timers_.begin()->first <= Clock::now()) {
    const auto then = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    then();
    announce_shutdown();
  }
  for (const uint64_t number : buried_) connections_.erase(number);
  buried_.clear();
}

// Busy polling. False: no event arrived, or polling was not worth it.
bool StoreServer::poll_busily() {
  if (!busy_poll_.worth(connections_.size()) || client_runs_here()) return false;
  const Clock::time_point until = Clock::now() + kPollTime;
  bool found = false;
  do {
    found = poller_.turn(0, [this] { announce_shutdown(); });
  } while (!found && Clock::now() < until);
  busy_poll_.polled(found);
  return found;
}

// The client of the last request runs on this CPU, so polling would keep it from sending the next one.
bool StoreServer::client_runs_here() const {
  int cpu = -1;
  socklen_t size = sizeof cpu;
  return getsockopt(last_read_, SOL_SOCKET, SO_INCOMING_CPU, &cpu, &size) == 0 && cpu == sched_getcpu();
}

int StoreServer::patience() const {
  if (timers_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

void StoreServer::woken() {
  eventfd_t count = 0;
  eventfd_read(wake_.get(), &count);
  const std::lock_guard<std::mutex> lock(guard_);
  if (admitted_) admission_.emplace(*std::exchange(admitted_, std::nullopt));
  watch_listeners();
}

void StoreServer::watch_listeners() {
  const bool wanted = admission_ && service_accepts_ && !out_of_descriptors_;
  if (wanted == listening_) return;
  listening_ = wanted;
  for (const UniqueFd& listener : listeners_) {
    if (wanted) {
      poller_.add(listener.get(), EPOLLIN, listener_bell_);
    } else {
      poller_.remove(listener.get());
    }
  }
}

void StoreServer::accept_clients(bool yes) {
  service_accepts_ = yes;
  watch_listeners();
}

void StoreServer::accept() {
  for (const UniqueFd& listener : listeners_) {
    for (int i = 0; i < kAcceptedAtOnce && listening_; ++i)
      if (!accept_one(listener.get())) break;
  }
}

bool StoreServer::accept_one(int listener) {
  sockaddr_storage peer{}, here{};
  socklen_t size = sizeof peer;
  UniqueFd fd(accept4(listener, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid() && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    // Pending clients stay in the kernel's queue; without a pause the listener would be readable all the time.
    out_of_descriptors_ = true;
    refusal_log_.tell(without_descriptors(connections_.size()));
    watch_listeners();
    later(kWithoutDescriptors, [this] {
      out_of_descriptors_ = false;
      watch_listeners();
    });
  }
  if (!fd.valid()) return errno == ECONNABORTED || errno == EINTR;
  size = sizeof here;
  if (connections_.size() >= limits_.clients) return refusal_log_.tell(too_many_clients(limits_.clients)), true;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&here), &size) != 0) return true;
  if (!admits(endpoint_of(peer), endpoint_of(here))) return true;
  Connection& connection = adopt(std::move(fd), Connection::State::open, Connection::Reads::when_all_is_sent);
  connection.set_handler(service_->make_handler(connection));
  count_client();
  return true;
}

bool StoreServer::admits(const SocketEnd& peer, const SocketEnd& here) {
  const std::optional<Refusal> refusal = admission_->refuses(peer, here);
  if (refusal && !refusal->words.empty()) refusal_log_.tell(*refusal);
  return !refusal;
}

void StoreServer::count_client() {
  if (++accepted_ == expected_) met_ = Clock::now();
}

std::optional<Duration> StoreServer::met_since() const {
  const Clock::time_point met = met_;
  return met == Clock::time_point() ? std::nullopt : std::optional<Duration>(Clock::now() - met);
}

Connection& StoreServer::adopt(UniqueFd fd, Connection::State state, Connection::Reads reads) {
  const uint64_t number = next_++;
  auto& place = connections_[number];
  place = std::make_unique<Connection>(*this, std::move(fd), number, state, reads);
  return *place;
}

bool StoreServer::account(size_t before, size_t now) {
  buffered_ += now;
  buffered_ -= before;
  return now <= before || buffered_ <= limits_.buffers;
}

void StoreServer::end_all() {
  for (const auto& [number, connection] : connections_) connection->end();
}

void StoreServer::hold_all(bool held) {
  for (const auto& [number, connection] : connections_) connection->hold(held);
}

void StoreServer::later(std::chrono::milliseconds after, std::function<void()> then) {
  timers_.emplace(Clock::now() + after, std::move(then));
}

// Notifies the handlers of ended connections between events, so that no ended client is woken. The Connection objects
// stay until the end of the turn, because the turn may have more events for them.
void StoreServer::announce_shutdown() {
  while (!ended_.empty()) {
    for (const uint64_t number : std::exchange(ended_, {})) {
      connections_.at(number)->leave();
      buried_.push_back(number);
    }
  }
}

}  // namespace muster::tcpstore
