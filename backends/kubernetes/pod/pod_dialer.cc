// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/pod_dialer.h"

#include <netdb.h>

#include <iostream>
#include <mutex>
#include <thread>

#include "core/base/text.h"

namespace muster::pod {
namespace {

constexpr Duration kTellPeriod = std::chrono::minutes(1);

}  // namespace

Result<std::vector<std::string>> resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) return Status(Code::not_found, escaped(host) + ": " + gai_strerror(error));
  std::vector<std::string> addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    char text[NI_MAXHOST] = {};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
      addresses.emplace_back(text);
  }
  freeaddrinfo(found);
  if (addresses.empty()) return Status(Code::not_found, escaped(host) + " has no address");
  return addresses;
}

struct PodDialer::Gate {
  explicit Gate(PodDialer* open) : dialer(open) {}
  void close() {
    const std::lock_guard lock(mutex);
    dialer = nullptr;
  }
  void post(const std::function<void(PodDialer&)>& work) {
    const std::lock_guard lock(mutex);
    if (dialer == nullptr) return;
    dialer->loop_.post([gate = dialer->gate_, work] {
      if (gate->dialer != nullptr) work(*gate->dialer);
    });
  }
  // mutex: the look-up blocks in its own thread, which may outlive the loop that it posts to
  std::mutex mutex;
  PodDialer* dialer;
};

PodDialer::PodDialer(Loop& loop, std::string host, uint16_t port, TlsIdentity identity)
    : loop_(loop),
      host_(std::move(host)),
      port_(port),
      identity_(std::move(identity)),
      gate_(std::make_shared<Gate>(this)) {}

PodDialer::~PodDialer() { gate_->close(); }

// getaddrinfo blocks, so it runs in its own thread.
void PodDialer::dial(Done done) {
  dialer_.reset();
  std::thread([gate = gate_, host = host_, done = std::move(done)] {
    const auto addresses = resolve(host);
    gate->post([addresses, done](PodDialer& dialer) { dialer.resolved(addresses, done); });
  }).detach();
}

void PodDialer::resolved(const Result<std::vector<std::string>>& addresses, const Done& done) {
  if (!addresses.ok()) return failed(addresses.status(), done);
  const std::string& address = (*addresses)[dials_++ % addresses->size()];
  dialer_ = std::make_unique<GrpcAgentDialer>(loop_, TcpTarget{{address, port_}, identity_});
  dialer_->dial([this, done](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
    if (!channel.ok()) return failed(channel.status(), done);
    tell_at_ = TimePoint();
    done(std::move(channel));
  });
}

void PodDialer::failed(const Status& status, const Done& done) {
  const TimePoint now = loop_.now();
  if (tell_at_ == TimePoint()) tell_at_ = now + kTellPeriod;
  if (now >= tell_at_) {
    std::cerr << "cannot reach the coordinator: " << status.message() << "\n";
    tell_at_ = now + kTellPeriod;
  }
  done(status);
}

}  // namespace muster::pod
