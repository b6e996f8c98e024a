// SPDX-License-Identifier: Apache-2.0
// Waiters: the clients that wait for keys, in order of arrival. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace muster::tcpstore {

class StoreClient;

// Allows lookups by string_view.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename T>
using ByKey = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

class Waiters {
 public:
  // Makes `client` wait until all of `keys` have been woken; it must not be waiting yet. A key named twice counts twice.
  void add(StoreClient& client, const std::vector<std::string_view>& keys);

  // Removes and returns the clients for which `key` was the last key they waited for.
  std::vector<StoreClient*> wake(std::string_view key);

  // Like wake(), but for one client only: the first for which `key` was the last key; nullptr: none.
  StoreClient* wake_one(std::string_view key);

  void remove(StoreClient& client);

  size_t bytes() const { return bytes_; }

 private:
  using Line = std::map<uint64_t, StoreClient*>;  // by ticket
  void leave(std::string_view key, uint64_t ticket);

  ByKey<Line> lines_;
  uint64_t next_ticket_ = 1;
  size_t bytes_ = 0;
};

}  // namespace muster::tcpstore
