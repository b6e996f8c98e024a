// SPDX-License-Identifier: Apache-2.0
// Mesh: a connection to each peer over Gloo's TCP transport; sends from and receives into memory, and waits for it.
//
// One thread uses a mesh at a time; any thread may call interrupt(). A message is matched with the receive of the same slot
// between the same two ranks, in the order in which both were posted. The slot consists of the call's tag and the length
// (24 bits): Gloo's thread ends the process if a message is longer than its receive, so messages of different lengths must
// never match. A send is done when the peer has taken the data.
#pragma once

#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/worker/collective/gloo_plugin/proof.h"

namespace muster::worker {

// Exceptions of a wait or a post that cannot succeed. Only thrown within the plugin.
struct Interrupted {};
struct PeerGone {
  int peer;  // -1: not known
  std::string text;
};

class Mesh;

// Memory that is used for messages. After the destructor the memory is not accessed any more.
class View {
 public:
  View(Mesh& mesh, const void* memory, size_t bytes);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  // At most largest_message bytes.
  void send(int to, uint64_t tag, size_t offset, size_t bytes);
  void receive(int from, uint64_t tag, size_t offset, size_t bytes);
  // Each waits for one message, in the order in which they were posted.
  void wait_sent(int to);
  void wait_received(int from);
  // Waits for all posted sends that have not been waited for.
  void wait_all_sent(int to);

 private:
  friend class Mesh;
  void abort();

  Mesh& mesh_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  size_t unsent_ = 0;
};

inline constexpr size_t largest_message = (size_t{1} << 24) - 1;

class Mesh {
 public:
  // Listens. Throws the exceptions of Gloo.
  Mesh(int rank, int size, const std::string& address, double timeout, const Mesh* sibling);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& card() const { return card_; }
  void connect(const std::vector<std::string_view>& cards);
  void interrupt();
  void close();

  // A buffer of at least `bytes` bytes, aligned for any type; valid until the next call of this function.
  char* scratch(size_t bytes);

 private:
  friend class View;
  void check() const;
  void connect_to(int peer, std::string_view card);
  // Sets the peer to which a pair is being connected; -1: none. Throws Interrupted.
  void set_connecting(int peer);
  // Throws the exception for `text`, which Gloo threw for an operation with `peer`.
  [[noreturn]] void fail(int peer, const char* text);
  bool is_gone(int peer);

  const int rank_, size_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;
  std::string card_;
  Secret nonce_{};
  std::vector<char> scratch_;
  std::atomic<bool> interrupted_{false};
  // mutex: protects the rest; interrupt() may run on any thread and needs the views and the pair that are waited for
  std::mutex mutex_;
  std::set<View*> views_;
  std::condition_variable connecting_changed_;
  int connecting_ = -1;
};

}  // namespace muster::worker
