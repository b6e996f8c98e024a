// SPDX-License-Identifier: Apache-2.0
// Parser of the TCPStore protocol, in both dialects. Clients up to torch 2.0 send no greeting; later clients send
// VALIDATE with a magic number and use other opcodes. Based on captures of torch 1.13 and 2.15 and on
// torch/csrc/distributed/c10d. docs/reference/torch-store.md has the table of requests.
//
// Pure: no I/O, no memory beyond the bytes given. A length is checked against the limits before it is used.
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
  unknown,  // too few bytes to decide
  old,      // torch up to 2.0
  current,
  carrier,  // a store proxy, which carries many clients (frames.h)
};

// The dialect of a connection that begins with `bytes`. Sets `greeting` to the length of the greeting.
Dialect dialect_of(std::string_view bytes, size_t& greeting);

// The first bytes that a client or a store proxy sends.
std::string greeting_of(Dialect dialect);

// One request. Keys and values are views into the bytes that were read.
struct Request {
  Op op = Op::set;
  bool old = false;  // came in the old dialect
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  int64_t number = 0;  // the argument of add and barrier; the nonce of ping
};

// Splits a client's byte stream into requests.
class RequestReader {
 public:
  enum class Found { whole, part, bad };

  explicit RequestReader(const Limits& limits) : limits_(&limits) {}

  // `bytes` begins after the last whole request and includes all bytes given since. whole: `request` is filled and takes
  // size() bytes. part: more bytes are needed. bad: this is not a request, or it exceeds a limit; the connection must end.
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
  // The position at which the last scan ended.
  size_t at_ = 0;
  size_t items_ = 0;  // items of a list that are not scanned yet
  size_t field_ = 0;
  size_t key_ = 0;  // position of the last key's length; 0: no key yet
  bool counted_ = false;
  Rule rule_ = Rule::protocol;  // the rule that was broken
  uint64_t asked_ = 0;          // the value that broke it
  Op op_ = Op::set;
};

// Appends a number. All numbers of the protocol are little-endian.
template <typename T>
void put(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xff);
}
void put_text(std::string& out, std::string_view text);
uint64_t number_at(std::string_view bytes, size_t at, size_t width);

}  // namespace muster::tcpstore
