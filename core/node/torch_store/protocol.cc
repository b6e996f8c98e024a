// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/protocol.h"

#include <array>
#include <optional>

#include "core/base/check.h"
#include "core/base/text.h"

namespace muster::tcpstore {
namespace {

constexpr uint32_t kTorchMagic = 0x3C85F7CE;
// Read as the length of an old client's first key, this value too exceeds every limit.
constexpr uint32_t kCarrierMagic = 0x7265736D;
constexpr size_t kGreeting = 5;

// The fields that follow each opcode: k key, v value, n i64, w u32. A list begins with its count (u64).
struct Shape {
  std::string_view fields;
  bool list = false;
};

constexpr Shape shape_of(Op op) {
  switch (op) {
    case Op::set:
    case Op::append:
    case Op::queue_push: return {"kv"};
    case Op::compare_set: return {"kvv"};
    case Op::get:
    case Op::watch_key:
    case Op::delete_key:
    case Op::queue_pop:
    case Op::queue_length: return {"k"};
    case Op::add:
    case Op::barrier: return {"kn"};
    case Op::check:
    case Op::wait:
    case Op::multi_get: return {"k", true};
    case Op::multi_set: return {"kv", true};
    case Op::ping: return {"w"};
    case Op::num_keys:
    case Op::cancel_wait:
    case Op::list_keys: return {""};
  }
  return {""};
}

constexpr std::array kOld = {Op::set,       Op::compare_set, Op::get,        Op::add,        Op::check,
                             Op::wait,      Op::num_keys,    Op::watch_key,  Op::delete_key, Op::append,
                             Op::multi_get, Op::multi_set,   Op::cancel_wait};
// The first entry is opcode 1; opcode 0 is the greeting.
constexpr std::array kCurrent = {Op::set,          Op::compare_set, Op::get,        Op::add,        Op::check,
                                 Op::wait,         Op::num_keys,    Op::delete_key, Op::append,     Op::multi_get,
                                 Op::multi_set,    Op::cancel_wait, Op::ping,       Op::queue_push, Op::queue_pop,
                                 Op::queue_length, Op::list_keys,   Op::barrier};

std::optional<Op> op_of(uint8_t code, Dialect dialect) {
  if (dialect == Dialect::old) return code < kOld.size() ? std::optional(kOld[code]) : std::nullopt;
  return code > 0 && code <= kCurrent.size() ? std::optional(kCurrent[code - 1u]) : std::nullopt;
}

}  // namespace

void put_text(std::string& out, std::string_view text) {
  put<uint64_t>(out, text.size());
  out += text;
}

uint64_t number_at(std::string_view bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

Dialect dialect_of(std::string_view bytes, size_t& greeting) {
  greeting = 0;
  if (bytes.empty()) return Dialect::unknown;
  if (bytes[0] != 0) return Dialect::old;
  if (bytes.size() < kGreeting) return Dialect::unknown;
  const uint64_t magic = number_at(bytes, 1, 4);
  if (magic != kTorchMagic && magic != kCarrierMagic) return Dialect::old;
  greeting = kGreeting;
  return magic == kTorchMagic ? Dialect::current : Dialect::carrier;
}

std::string greeting_of(Dialect dialect) {
  if (dialect == Dialect::old) return "";
  std::string out(1, '\0');
  put<uint32_t>(out, dialect == Dialect::carrier ? kCarrierMagic : kTorchMagic);
  return out;
}

RequestReader::Found RequestReader::read(std::string_view bytes, Dialect dialect, Request& request) {
  const Found found = scan(bytes, dialect);
  if (found != Found::whole) return found;
  request.op = op_;
  request.old = dialect == Dialect::old;
  size_ = at_;
  at_ = 0;
  fill(bytes, request);
  return found;
}

RequestReader::Found RequestReader::scan(std::string_view bytes, Dialect dialect) {
  if (bytes.empty()) return Found::part;
  if (at_ == 0) {
    const std::optional<Op> op = op_of(static_cast<uint8_t>(bytes[0]), dialect);
    if (!op) return broken(Rule::protocol, static_cast<uint8_t>(bytes[0]));
    op_ = *op;
    at_ = 1;
    field_ = 0;
    key_ = 0;
    items_ = 1;
    counted_ = !shape_of(op_).list;
  }
  if (!counted_) {
    if (bytes.size() < at_ + 8) return Found::part;
    const uint64_t count = number_at(bytes, at_, 8);
    if (count > limits_->keys) return broken(Rule::keys, count);
    items_ = count;
    at_ += 8;
    counted_ = true;
  }
  const std::string_view fields = shape_of(op_).fields;
  for (; items_ > 0; --items_, field_ = 0) {
    for (; field_ < fields.size(); ++field_) {
      const Found found = scan_field(bytes, fields[field_]);
      if (found != Found::whole) return found;
    }
  }
  return Found::whole;
}

RequestReader::Found RequestReader::scan_field(std::string_view bytes, char kind) {
  const bool text = kind == 'k' || kind == 'v';
  size_t width = kind == 'w' ? 4 : 8;
  if (bytes.size() - at_ < width) return Found::part;
  if (text) {
    const uint64_t length = number_at(bytes, at_, 8);
    if (kind == 'k' && length > limits_->key) return broken(Rule::key, length);
    if (kind == 'v' && length > limits_->value) return broken(Rule::value, length);
    width += length;
    if (at_ + width > limits_->request) return broken(Rule::request, at_ + width);
    if (bytes.size() - at_ < width) return Found::part;
    if (kind == 'k') key_ = at_;
  }
  at_ += width;
  return Found::whole;
}

RequestReader::Found RequestReader::broken(Rule rule, uint64_t asked) {
  rule_ = rule;
  asked_ = asked;
  return Found::bad;
}

Refusal RequestReader::refusal(std::string_view bytes) const {
  switch (rule_) {
    case Rule::key: return too_large(rule_, "a key", asked_, limits_->key);
    case Rule::value: {
      const std::string_view key = key_ == 0 ? "" : bytes.substr(key_ + 8, number_at(bytes, key_, 8));
      return too_large(rule_, "a value for " + shown_key(key), asked_, limits_->value);
    }
    case Rule::keys:
      return cut_off(rule_,
                     "a request has " + count_of(asked_, "key") + "; the limit is " + humane_count(limits_->keys));
    case Rule::request: return too_large(rule_, "a request", asked_, limits_->request);
    default:
      return cut_off(
          rule_, "it does not speak the TCPStore protocol: no request begins with the byte " + std::to_string(asked_));
  }
}

// scan() has checked that the request is complete and within the limits.
void RequestReader::fill(std::string_view bytes, Request& request) const {
  const Shape shape = shape_of(op_);
  request.keys.clear();
  request.values.clear();
  size_t at = 1;
  size_t items = 1;
  if (shape.list) {
    items = number_at(bytes, at, 8);
    at += 8;
  }
  for (; items > 0; --items) {
    for (const char kind : shape.fields) {
      const size_t width = kind == 'w' ? 4 : 8;
      const uint64_t number = number_at(bytes, at, width);
      at += width;
      if (kind == 'n' || kind == 'w') request.number = static_cast<int64_t>(number);
      if (kind == 'n' || kind == 'w') continue;
      (kind == 'k' ? request.keys : request.values).push_back(bytes.substr(at, number));
      at += number;
    }
  }
  MUSTER_CHECK(at == size_);
}

}  // namespace muster::tcpstore
