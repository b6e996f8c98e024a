// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/gloo_plugin/mesh.h"

#include <gloo/transport/tcp/device.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "core/worker/signals.h"

namespace muster::worker {
namespace {

// A wait ends with data, a closed connection or interrupt(); the caller's deadline calls interrupt().
constexpr std::chrono::milliseconds forever = std::chrono::hours(24 * 365);
// Offset of the port in sockaddr_in and sockaddr_in6; a Gloo address begins with the sockaddr.
constexpr size_t port_at = 2;
constexpr size_t port_size = 2;
// Closing a pair waits for a turn of Gloo's loop (up to 10 ms), so several threads close pairs in parallel.
constexpr int pairs_per_closer = 4;
constexpr int most_closers = 32;
// The slot of the first messages. The caller's messages do not use it: tag_of() is a hash, and the first messages have been
// received by then.
constexpr uint64_t greeting = 0;
// The time that interrupt() gives a connection in progress to complete.
constexpr std::chrono::milliseconds time_to_connect{100};

// Clears the unused bytes between the sockaddr and Gloo's number at the end of an address. Gloo leaves uninitialized stack
// memory there, which must not be sent and differs between pairs.
std::string cleaned(const std::vector<char>& bytes) {
  std::string address(bytes.begin(), bytes.end());
  sa_family_t family;
  std::memcpy(&family, address.data(), sizeof family);
  const size_t used = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const size_t end = address.size() - sizeof(ssize_t);
  if (used < end) std::fill(address.begin() + used, address.begin() + end, '\0');
  if (family == AF_INET)
    std::memset(address.data() + offsetof(sockaddr_in, sin_zero), 0, sizeof(sockaddr_in::sin_zero));
  return address;
}

std::string with_port(std::string address, std::string_view port) { return address.replace(port_at, port_size, port); }

}  // namespace

View::View(Mesh& mesh, const void* memory, size_t bytes) : mesh_(mesh) {
  // Gloo has one type of buffer for both directions; nothing is received into const memory.
  buffer_ = mesh_.context_->createUnboundBuffer(const_cast<void*>(memory), bytes);
  std::lock_guard lock(mesh_.mutex_);
  mesh_.views_.insert(this);
}

View::~View() {
  std::lock_guard lock(mesh_.mutex_);
  mesh_.views_.erase(this);
}

void View::send(int to, uint64_t tag, size_t offset, size_t bytes) try {
  mesh_.check();
  ++unsent_;
  mesh_.context_->getPair(to)->send(buffer_.get(), tag | bytes, offset, bytes);
} catch (const std::exception& error) {
  mesh_.fail(to, error.what());
}

void View::receive(int from, uint64_t tag, size_t offset, size_t bytes) try {
  mesh_.check();
  mesh_.context_->getPair(from)->recv(buffer_.get(), tag | bytes, offset, bytes);
} catch (const std::exception& error) {
  mesh_.fail(from, error.what());
}

void View::wait_sent(int to) try {
  mesh_.check();
  if (!buffer_->waitSend(nullptr, forever)) throw Interrupted{};
  --unsent_;
} catch (const std::exception& error) {
  mesh_.fail(to, error.what());
}

void View::wait_received(int from) try {
  mesh_.check();
  if (!buffer_->waitRecv(nullptr, forever)) throw Interrupted{};
} catch (const std::exception& error) {
  mesh_.fail(from, error.what());
}

void View::wait_all_sent(int to) {
  while (unsent_ > 0) wait_sent(to);
}

void View::abort() {
  buffer_->abortWaitRecv();
  buffer_->abortWaitSend();
}

Mesh::Mesh(int rank, int size, const std::string& address, double timeout, const Mesh* sibling)
    : rank_(rank),
      size_(size) {
  if (size_ == 1) return;
  if (sibling != nullptr && sibling->device_) {
    device_ = sibling->device_;
  } else {
    NoSignals for_its_thread;
    gloo::transport::tcp::attr attributes(address.c_str());
    device_ = gloo::transport::tcp::CreateDevice(attributes);
  }
  context_ = device_->createContext(rank_, size_);
  const auto patience = std::chrono::milliseconds(static_cast<int64_t>(std::clamp(timeout, 1.0, 1e7) * 1000));
  context_->setTimeout(patience);
  std::string ports;
  std::string address_form;
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) {
      ports.append(port_size, '\0');
      continue;
    }
    const std::string form = cleaned(context_->createPair(peer)->address().bytes());
    if (address_form.empty()) address_form = form;
    ports += form.substr(port_at, port_size);
    if (with_port(address_form, form.substr(port_at, port_size)) != form) {
      throw std::runtime_error("this version of Gloo is not supported: its address format is different");
    }
  }
  // One address and a port for each peer: 152 bytes plus 2 per rank. With an address per peer, n² addresses would be sent.
  nonce_ = random_secret();
  card_ = address_form + std::string(reinterpret_cast<const char*>(nonce_.data()), sizeof nonce_) + ports;
}

Mesh::~Mesh() {
  close();
  context_.reset();
}

void Mesh::connect_to(int peer, std::string_view card) {
  const size_t form = card.size() - port_size * size_ - sizeof nonce_;
  const std::string address =
      with_port(std::string(card.substr(0, form)), card.substr(form + sizeof nonce_ + port_size * rank_, port_size));
  set_connecting(peer);
  try {
    context_->getPair(peer)->connect(std::vector<char>(address.begin(), address.end()));
    set_connecting(-1);
  } catch (const std::exception& error) {
    set_connecting(-1);
    throw PeerGone{peer, error.what()};
  }
}

// Throws Interrupted.
void Mesh::set_connecting(int peer) {
  std::lock_guard lock(mutex_);
  connecting_ = interrupted_ ? -1 : peer;
  connecting_changed_.notify_all();
  check();
}

// Gloo treats the first connection to a pair's port as the peer. On a machine with several users it may be another user's
// program. So before any data of the caller is sent, both sides prove that they know the secret of this mesh, which is the sum
// of the nonces that all ranks exchanged with the fence: one message in each direction, for all pairs in parallel. Another
// program cannot prove it. The real peer finds the port closed, so it fails too and reports that; this also detects a program
// that sends nothing.
//
// Limits: If another program speaks Gloo's protocol and breaks it, or resets a connection before Gloo's thread has accepted it,
// that thread throws and the process ends. Gloo gives no earlier access to a connection. A rank that dies does not reset its
// connections at this point: it has no unread data yet, so the kernel closes them in order. Later data is not encrypted.
void Mesh::connect(const std::vector<std::string_view>& cards) {
  if (size_ == 1) return;
  Secret secret{};
  for (int peer = 0; peer < size_; ++peer) {
    const std::string_view card = cards[peer];
    if (card.size() != card_.size())
      throw std::runtime_error("rank " + std::to_string(peer) + " sent no valid Gloo address");
    Secret nonce;
    std::memcpy(nonce.data(), card.data() + card.size() - port_size * size_ - sizeof nonce, sizeof nonce);
    for (size_t i = 0; i < secret.size(); ++i) secret[i] ^= nonce[i];
  }
  std::vector<Proof> ours(size_), theirs(size_);
  View shown(*this, ours.data(), size_ * sizeof(Proof)), seen(*this, theirs.data(), size_ * sizeof(Proof));
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    ours[peer] = proof(secret, rank_, peer);
    connect_to(peer, cards[peer]);
    seen.receive(peer, greeting, peer * sizeof(Proof), sizeof(Proof));
    shown.send(peer, greeting, peer * sizeof(Proof), sizeof(Proof));
  }
  for (int i = 1; i < size_; ++i) seen.wait_received((rank_ + i) % size_);
  for (int peer = 0; peer < size_; ++peer) {
    if (peer != rank_ && theirs[peer] != proof(secret, peer, rank_))
      throw PeerGone{peer, "the connection is not from this rank"};
  }
  shown.wait_all_sent((rank_ + 1) % size_);
}

void Mesh::interrupt() {
  std::unique_lock lock(mutex_);
  if (interrupted_.exchange(true)) return;
  for (View* view : views_) view->abort();
  // Gloo cannot abort connecting, but a closed pair stops waiting. Closing resets a connection that the peer is about to
  // accept, which would end the peer's process (see connect()). So a connection in progress gets time to complete.
  connecting_changed_.wait_for(lock, time_to_connect, [this] { return connecting_ < 0; });
  if (connecting_ >= 0) context_->getPair(connecting_)->close();
}

void Mesh::close() {
  if (!context_) return;
  const auto close_some = [this](int first, int stride) {
    for (int peer = first; peer < size_; peer += stride) context_->getPair(peer).reset();
  };
  {
    std::lock_guard lock(mutex_);
    connecting_ = -1;
    interrupted_ = true;
  }
  const int closers = std::clamp(size_ / pairs_per_closer, 1, most_closers);
  std::vector<std::thread> threads;
  for (int i = 1; i < closers; ++i) threads.emplace_back(close_some, i, closers);
  close_some(0, closers);
  for (std::thread& thread : threads) thread.join();
}

char* Mesh::scratch(size_t bytes) {
  if (scratch_.size() < bytes) scratch_.resize(bytes);
  return scratch_.data();
}

void Mesh::check() const {
  if (interrupted_.load(std::memory_order_relaxed)) throw Interrupted{};
}

void Mesh::fail(int peer, const char* text) {
  check();
  if (is_gone(peer)) throw PeerGone{peer, text};
  for (int other = 0; other < size_; ++other) {
    if (other != rank_ && is_gone(other)) throw PeerGone{other, text};
  }
  throw PeerGone{-1, text};
}

// A failed pair refuses every post. A working pair accepts this one and never uses it, because the mesh is not used any more.
bool Mesh::is_gone(int peer) try {
  const std::unique_ptr<gloo::transport::UnboundBuffer> probe = context_->createUnboundBuffer(nullptr, 0);
  context_->getPair(peer)->recv(probe.get(), ~uint64_t{0}, 0, 0);
  return false;
} catch (const std::exception&) {
  return true;
}

}  // namespace muster::worker
