// Mesh: a connection to each peer by Gloo's TCP transport, memory that is sent from or received into, and waiting for
// it.
//
// One thread uses a mesh at a time; interrupt() is for any. A message finds the receive of the same slot between the
// same two ranks, in the order both were posted. The slot holds the length (24 bits) beside the call's tag: Gloo's
// thread ends the program when a message is longer than its receive, so messages of different lengths must never meet.
// A send is done when the peer has taken the data.
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

// How a wait or a post ends that cannot succeed. Thrown within the plugin only.
struct Interrupted {};
struct PeerGone {
  int peer;  // -1: not known which
  std::string text;
};

class Mesh;

// Memory that takes part in messages. Once it is destroyed nobody touches that memory.
class View {
 public:
  View(Mesh& mesh, const void* memory, size_t bytes);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  // At most largest_message bytes.
  void send(int to, uint64_t tag, size_t offset, size_t bytes);
  void receive(int from, uint64_t tag, size_t offset, size_t bytes);
  // For one message each, in the order they were posted.
  void wait_sent(int to);
  void wait_received(int from);
  // For all that were posted and not waited for.
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
  // Listens. Throws what Gloo throws.
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

  // Room that lasts until the next call of this function; at least `bytes`, aligned for any type.
  char* scratch(size_t bytes);

 private:
  friend class View;
  void check() const;
  void connect_to(int peer, std::string_view card);
  // The peer that a pair is being connected to, -1: none.
  void set_connecting(int peer);
  // What went wrong, as an exception, after Gloo threw `text` while we dealt with `peer`.
  [[noreturn]] void fail(int peer, const char* text);
  bool is_gone(int peer);

  const int rank_, size_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;
  std::string card_;
  Secret nonce_{};
  std::vector<char> scratch_;
  std::atomic<bool> interrupted_{false};
  // mutex: interrupt() comes from any thread and must see the views and the pair that are being waited for
  std::mutex mutex_;
  std::set<View*> views_;
  std::condition_variable connecting_changed_;
  int connecting_ = -1;
};

}  // namespace muster::worker
