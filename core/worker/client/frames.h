// SPDX-License-Identifier: Apache-2.0
// Encodes requests and decodes answers of worker.proto. Field numbers are those of proto/worker.proto and
// proto/rendezvous.proto; test/worker checks them against the agent's socket. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace muster::worker {

constexpr uint32_t kProtocol = 1;
constexpr size_t kLongestFrame = 4 << 20;

// Identifies the calling rank.
struct Asker {
  uint32_t attempt = 0;
  uint32_t index = 0;  // MUSTER_INDEX
};

struct StoreCall {
  enum class Kind : uint32_t {  // RendezvousKind
    set = 1,
    get = 2,
    wait = 3,
    add = 4,
    compare_and_set = 5,
    remove = 6,
    barrier = 8,
    fence = 9,
  };
  Kind kind = Kind::get;
  std::string_view key;
  std::string_view value = {};
  std::string_view expected = {};
  int64_t amount = 0;
  const std::vector<uint32_t>* ranks = nullptr;  // of a barrier or fence; null or empty: all
  Duration timeout{0};
};

struct Progress {
  uint64_t step = 0;
  uint64_t total = 0;
  std::map<std::string, double> metrics;
};

std::string store_frame(const Asker& asker, const StoreCall& call);
std::string progress_frame(const Asker& asker, const Progress& progress);
std::string end_frame(const Asker& asker);
std::string rejoin_frame(const Asker& asker);

struct Reply {
  enum class Kind { none, store, end, place } kind = Kind::none;
  Status status;                                                 // of store and place
  std::string value;                                             // of store; the reason of an end
  std::vector<std::string> values;                               // of a fence
  bool broken = false;                                           // of an end
  Duration grace{0};                                             // of an end
  std::vector<std::pair<std::string, std::string>> environment;  // of a place
};
// data_loss: not a message of the protocol.
Result<Reply> read_reply(std::string_view frame);

}  // namespace muster::worker
