// Waiters: who waits for which keys, in the order in which they came. Pure.
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

// Keys are looked up by views.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename T>
using ByKey = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

class Waiters {
 public:
  // `client`, which waits for nothing, waits until `keys` were all woken. A key named twice counts twice.
  void add(StoreClient& client, const std::vector<std::string_view>& keys);

  // The clients for whom `key` was the last one they waited for; these wait no more.
  std::vector<StoreClient*> wake(std::string_view key);

  // For a thing that only one can take: nullptr, or the first client for whom `key` was the last one.
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
