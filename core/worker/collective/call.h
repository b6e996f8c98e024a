// Call: one operation on a communicator as all its ranks must agree on it, and its forms: words for people, a line for
// the store, a number for the wire. Values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster::worker {

enum class Kind : uint8_t { all_reduce, reduce_scatter, all_gather, broadcast, barrier, send, receive, split };
// The numbers of muster_type, muster_reduce and muster_backend in muster.h; export.cc pins them.
enum class Type : uint8_t { int8, uint8, int32, uint32, int64, uint64, float16, float32, float64, bfloat16 };
enum class Reduce : uint8_t { sum, product, min, max, average };
enum class Backend : uint8_t { automatic, gloo, nccl };

std::string_view to_string(Kind kind);
std::string_view to_string(Type type);
std::string_view to_string(Reduce reduce);
std::string_view to_string(Backend backend);
size_t bytes_of(Type type);
bool is_integer(Type type);

struct Call {
  Kind kind = Kind::barrier;
  Type type = Type::uint8;
  Reduce reduce = Reduce::sum;
  uint32_t from = 0;  // broadcast: the root; send, receive: who sends
  uint32_t to = 0;    // send, receive: who receives
  uint64_t count = 0;
  // The how manyth collective of the communicator, or message of the pair (from 1); and the collectives before this
  // call.
  uint64_t number = 0;
  uint64_t collectives = 0;

  bool point_to_point() const { return kind == Kind::send || kind == Kind::receive; }
  bool operator==(const Call&) const = default;
};

// The two sides of one operation: equal collectives of one number, or a send and its receive.
bool match(const Call& one, const Call& other);

// "all_reduce of 1024 × float32 (sum)", "broadcast of 8 × int64 from rank 2", "barrier", "send of 4 × uint8 to rank 1".
// Ranks as `rank_names` has them.
std::string describe(const Call& call, const std::vector<std::string>& rank_names);

// What decode() reads back; fails with data_loss on anything else.
std::string encode(const std::vector<Call>& calls);
Result<std::vector<Call>> decode(std::string_view text);

// Differs (but for one in 2^40 pairs) between calls that do not match; the lowest 24 bits are 0, the transport's to
// use.
uint64_t tag_of(const Call& call);

}  // namespace muster::worker
