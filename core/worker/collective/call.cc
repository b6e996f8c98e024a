// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/call.h"

#include <array>
#include <charconv>

#include "core/base/text.h"

namespace muster::worker {
namespace {

constexpr std::array<std::string_view, 8> kinds = {"all_reduce", "reduce_scatter", "all_gather", "broadcast",
                                                   "barrier",    "send",           "receive",    "split"};
constexpr std::array<std::string_view, 10> types = {"int8",   "uint8",   "int32",   "uint32",  "int64",
                                                    "uint64", "float16", "float32", "float64", "bfloat16"};
constexpr std::array<size_t, 10> widths = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
constexpr std::array<std::string_view, 5> reduces = {"sum", "product", "min", "max", "average"};
constexpr std::array<std::string_view, 3> backends = {"auto", "gloo", "nccl"};
constexpr size_t fields = 8;

uint64_t mix(uint64_t hash, uint64_t value) {
  // splitmix64's finalizer: every bit of the value reaches every bit of the hash.
  hash += value + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

bool reduces_values(Kind kind) { return kind == Kind::all_reduce || kind == Kind::reduce_scatter; }

Result<Call> decode_one(std::string_view text) {
  const std::vector<std::string> words = split(text, ' ');
  std::array<uint64_t, fields> numbers{};
  Status broken(Code::data_loss, "`" + escaped(text) + "` is not a call of a communicator");
  if (words.size() != fields) return broken;
  for (size_t i = 0; i < fields; ++i) {
    const char* end = words[i].data() + words[i].size();
    const auto [at, error] = std::from_chars(words[i].data(), end, numbers[i]);
    if (error != std::errc() || at != end) return broken;
  }
  if (numbers[0] >= kinds.size() || numbers[1] >= types.size() || numbers[2] >= reduces.size()) return broken;
  return Call{static_cast<Kind>(numbers[0]),
              static_cast<Type>(numbers[1]),
              static_cast<Reduce>(numbers[2]),
              static_cast<uint32_t>(numbers[3]),
              static_cast<uint32_t>(numbers[4]),
              numbers[5],
              numbers[6],
              numbers[7]};
}

}  // namespace

std::string_view to_string(Kind kind) { return kinds[static_cast<size_t>(kind)]; }
std::string_view to_string(Type type) { return types[static_cast<size_t>(type)]; }
std::string_view to_string(Reduce reduce) { return reduces[static_cast<size_t>(reduce)]; }
std::string_view to_string(Backend backend) { return backends[static_cast<size_t>(backend)]; }
size_t bytes_of(Type type) { return widths[static_cast<size_t>(type)]; }
bool is_integer(Type type) { return type <= Type::uint64; }

bool match(const Call& one, const Call& other) {
  if (one.point_to_point()) {
    return other.point_to_point() && one.kind != other.kind && one.from == other.from && one.to == other.to &&
           one.type == other.type && one.count == other.count && one.number == other.number;
  }
  return one == other;
}

std::string describe(const Call& call, const std::vector<std::string>& rank_names) {
  std::string text(to_string(call.kind));
  if (call.kind == Kind::barrier || call.kind == Kind::split) return text;
  text += " of " + std::to_string(call.count) + " × " + std::string(to_string(call.type));
  if (reduces_values(call.kind)) text += " (" + std::string(to_string(call.reduce)) + ")";
  const auto name = [&](uint32_t rank) {
    return rank < rank_names.size() ? rank_names[rank] : "rank " + std::to_string(rank);
  };
  if (call.kind == Kind::broadcast || call.kind == Kind::receive) text += " from " + name(call.from);
  if (call.kind == Kind::send) text += " to " + name(call.to);
  return text;
}

std::string encode(const std::vector<Call>& calls) {
  std::vector<std::string> lines;
  for (const Call& call : calls) {
    const std::array<uint64_t, fields> numbers = {static_cast<uint64_t>(call.kind),
                                                  static_cast<uint64_t>(call.type),
                                                  static_cast<uint64_t>(call.reduce),
                                                  call.from,
                                                  call.to,
                                                  call.count,
                                                  call.number,
                                                  call.collectives};
    std::vector<std::string> words;
    for (const uint64_t number : numbers) words.push_back(std::to_string(number));
    lines.push_back(join(words, " "));
  }
  return join(lines, ";");
}

Result<std::vector<Call>> decode(std::string_view text) {
  std::vector<Call> calls;
  if (text.empty()) return calls;
  for (const std::string& line : split(text, ';')) {
    Result<Call> call = decode_one(line);
    if (!call.ok()) return call.status();
    calls.push_back(*call);
  }
  return calls;
}

uint64_t tag_of(const Call& call) {
  uint64_t hash = mix(0, call.point_to_point() ? static_cast<uint64_t>(Kind::send) : static_cast<uint64_t>(call.kind));
  hash = mix(hash, static_cast<uint64_t>(call.type) << 8 | static_cast<uint64_t>(call.reduce));
  hash = mix(hash, static_cast<uint64_t>(call.from) << 32 | call.to);
  hash = mix(hash, call.count);
  hash = mix(hash, call.number);
  return hash & ~uint64_t{0xffffff};
}

}  // namespace muster::worker
