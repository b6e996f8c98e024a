// SPDX-License-Identifier: Apache-2.0
// KeyStore: the key-value store of one attempt of torch ranks; takes requests and appends replies. Queues, waiters and
// watchers are separate classes. Pure; one thread.
//
// It answers as torch's own server does (test/frameworks compares it with 1.13 and 2.15). docs/design/torch-store.md
// lists the intended differences and their reasons.
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

// One client. Call KeyStore::forget before destroying it.
class StoreClient {
 public:
  StoreClient() = default;
  StoreClient(const StoreClient&) = delete;
  StoreClient& operator=(const StoreClient&) = delete;
  virtual ~StoreClient() = default;

  // Replies that the owner of the client sends and removes.
  std::string out;

 private:
  friend class KeyStore;
  friend class Waiters;
  friend class Watchers;

  bool told_ = false;  // is in KeyStore::told_
  size_t awaited_ = 0;
  std::vector<std::pair<std::string, uint64_t>> tickets_;  // the keys that it waits for, with their tickets
  std::vector<std::string> watches_;
};

class KeyStore {
 public:
  explicit KeyStore(const Limits& limits) : limits_(&limits) {}

  // Executes a request. Appends the reply to `client.out`, and replies to woken clients to theirs. False: the client
  // broke the protocol or a limit and must be disconnected; the store is unchanged.
  bool take(StoreClient& client, const Request& request);
  // The reason of the last take() that returned false.
  const Refusal& refusal() const { return refusal_; }

  // Removes all waits and watches of a client that has disconnected.
  void forget(StoreClient& client);

  // Calls `what` for each client that got replies since the last call. `what` must not call the store.
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
  bool has_space_for(size_t more);
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
