// KeyStore: the store of one attempt of torch's ranks: requests in, replies out. It keeps the values; queues, waiters and
// watchers are parts of their own. Pure; one thread.
//
// It answers as torch's own server does (compared with 1.13 and 2.15 in test/frameworks); where it differs on purpose,
// docs/store.md says why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/node/torch_store/item_queues.h"
#include "core/node/torch_store/limits.h"
#include "core/node/torch_store/protocol.h"
#include "core/node/torch_store/refusal.h"
#include "core/node/torch_store/waiters.h"
#include "core/node/torch_store/watchers.h"

namespace muster::tcpstore {

// One client. Must be forgotten by the store (KeyStore::forget) before its end.
class StoreClient {
 public:
  StoreClient() = default;
  StoreClient(const StoreClient&) = delete;
  StoreClient& operator=(const StoreClient&) = delete;
  virtual ~StoreClient() = default;

  // Replies for whoever carries them, who takes them away.
  std::string out;

 private:
  friend class KeyStore;
  friend class Waiters;
  friend class Watchers;

  bool told_ = false;  // stands in KeyStore::told_
  size_t awaited_ = 0;
  std::vector<std::pair<std::string, uint64_t>> tickets_;  // keys it waits for
  std::vector<std::string> watches_;
};

class KeyStore {
 public:
  explicit KeyStore(const Limits& limits) : limits_(&limits) {}

  // Carries a request out; replies are in `client.out`, those of others in theirs. False: the client broke the protocol
  // or a limit and must be forgotten; nothing was changed.
  bool take(StoreClient& client, const Request& request);
  // Why, once it said false.
  const Refusal& refusal() const { return refusal_; }

  // The client is gone: it waits for nothing and watches nothing.
  void forget(StoreClient& client);

  // Tells of each client that got replies since the last call; what is told must not call the store.
  template <typename Tell>
  void tell(Tell what) {
    for (StoreClient* client : told_) {
      client->told_ = false;
      what(*client);
    }
    told_.clear();
  }

  size_t bytes() const { return bytes_ + queues_.bytes() + waiters_.bytes() + watchers_.bytes(); }

 private:
  std::string& reply(StoreClient& client);
  bool room_for(size_t more);
  bool refuse(Refusal why);
  bool present(std::string_view key) const;

  bool put_value(std::string_view key, std::string_view value);
  bool compare_set(StoreClient& client, const Request& request);
  bool get(StoreClient& client, const std::vector<std::string_view>& keys);
  bool add_to(std::string_view key, int64_t by, int64_t& sum);
  bool add(StoreClient& client, const Request& request);
  bool append(std::string_view key, std::string_view more);
  bool multi_set(const Request& request);
  bool delete_key(StoreClient& client, std::string_view key);
  bool list_keys(StoreClient& client);
  bool all_present(const std::vector<std::string_view>& keys) const;
  bool wait(StoreClient& client, const std::vector<std::string_view>& keys);
  bool await(StoreClient& client, const std::vector<std::string_view>& keys);
  bool cancel_wait(StoreClient& client);
  bool barrier(StoreClient& client, const Request& request);
  bool queue_push(std::string_view queue, std::string_view item);
  bool queue_pop(StoreClient& client, std::string_view queue);
  bool queue_length(StoreClient& client, std::string_view queue);
  bool watch(StoreClient& client, std::string_view key);
  void wake(std::string_view key);
  void tell_watchers(uint8_t kind, std::string_view key, std::string_view before, std::string_view after);

  const Limits* limits_;
  ByKey<std::string> values_;
  ItemQueues queues_;
  Waiters waiters_;
  Watchers watchers_;
  std::vector<StoreClient*> told_;
  size_t bytes_ = 0;  // of values_
  Refusal refusal_;
};

}  // namespace muster::tcpstore
