// The bytes of torch's TCPStore, in both dialects: up to torch 2.0 without a greeting, later ones with VALIDATE and a
// magic number and other opcodes. Learned from captures of torch 1.13 and 2.15 and from torch/csrc/distributed/c10d;
// docs/store.md has the table.
//
// Pure: no I/O, no memory beyond what the bytes given take. A length is believed only after it was held against the
// limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/node/torch_store/limits.h"
#include "core/node/torch_store/refusal.h"

namespace muster::tcpstore {

enum class Op : uint8_t {
  set,
  compare_set,
  get,
  add,
  check,
  wait,
  num_keys,
  watch_key,
  delete_key,
  append,
  multi_get,
  multi_set,
  cancel_wait,
  ping,
  queue_push,
  queue_pop,
  queue_length,
  list_keys,
  barrier,
};

enum class Dialect : uint8_t {
  unknown,  // too few bytes to tell
  old,      // torch up to 2.0
  current,
  carrier,  // a front end of ours, which carries many clients (carried.h)
};

// The dialect of a connection that begins with `bytes`, and how many of them were the greeting.
Dialect dialect_of(std::string_view bytes, size_t& greeting);

// What a client and a front end of ours begin with.
std::string greeting_of(Dialect dialect);

// Views into the bytes that were read.
struct Request {
  Op op = Op::set;
  bool old = false;  // came in the old dialect
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  int64_t number = 0;  // of add and barrier; of ping its nonce
};

// Finds the requests in a client's bytes, as they come.
class RequestReader {
 public:
  enum class Found { whole, part, bad };

  explicit RequestReader(const Limits& limits) : limits_(&limits) {}

  // `bytes` begins where the last whole request ended, with what was given before and more. whole: `request` is filled
  // and size() of the bytes are its own. part: more is needed. bad: no request begins so, or it is above a limit; the
  // connection must end.
  Found read(std::string_view bytes, Dialect dialect, Request& request);
  size_t size() const { return size_; }

  // Why the `bytes` just read were bad.
  Refusal refusal(std::string_view bytes) const;

 private:
  Found scan(std::string_view bytes, Dialect dialect);
  Found scan_field(std::string_view bytes, char kind);
  Found broken(Rule rule, uint64_t asked);
  void fill(std::string_view bytes, Request& request) const;

  const Limits* limits_;
  size_t size_ = 0;
  // Where the last look ended.
  size_t at_ = 0;
  size_t items_ = 0;  // of a list, those not seen yet
  size_t field_ = 0;
  size_t key_ = 0;  // where the newest key's length stands; 0: none was seen
  bool counted_ = false;
  Rule rule_ = Rule::protocol;  // that was broken, by …
  uint64_t asked_ = 0;
  Op op_ = Op::set;
};

// Little-endian, as all numbers of the protocol.
template <typename T>
void put(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xff);
}
void put_text(std::string& out, std::string_view text);
uint64_t number_at(std::string_view bytes, size_t at, size_t width);

}  // namespace muster::tcpstore
