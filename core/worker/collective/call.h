// SPDX-License-Identifier: Apache-2.0
// Call: one operation on a communicator, with the arguments that all ranks must agree on. It can be converted to text for
// messages, to a line for the store and to a tag for the wire. Values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster::worker {

enum class Kind : uint8_t { all_reduce, reduce_scatter, all_gather, broadcast, barrier, send, receive, split };
// Type, Reduce and Backend have the numbers of muster_type, muster_reduce and muster_backend; export.cc checks that.
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
  uint32_t from = 0;  // broadcast: the root; send, receive: the sender
  uint32_t to = 0;    // send, receive: the receiver
  uint64_t count = 0;
  // number: 1-based number of this collective of the communicator, or of this message between the two ranks.
  // collectives: number of collectives before this call.
  uint64_t number = 0;
  uint64_t collectives = 0;

  bool point_to_point() const { return kind == Kind::send || kind == Kind::receive; }
  bool operator==(const Call&) const = default;
};

// Whether two calls belong together: equal collectives with the same number, or a send and its receive.
bool match(const Call& one, const Call& other);

// "all_reduce of 1024 × float32 (sum)", "broadcast of 8 × int64 from rank 2", "barrier", "send of 4 × uint8 to rank 1".
// Ranks are named by `rank_names`.
std::string describe(const Call& call, const std::vector<std::string>& rank_names);

// decode() reads what encode() wrote; anything else is data_loss.
std::string encode(const std::vector<Call>& calls);
Result<std::vector<Call>> decode(std::string_view text);

// A hash that differs between calls that do not match (except for one in 2^40 pairs). The lowest 24 bits are 0; the
// transport uses them.
uint64_t tag_of(const Call& call);

}  // namespace muster::worker
