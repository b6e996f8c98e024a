// SPDX-License-Identifier: Apache-2.0
#include "core/rank/pickle_text.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace muster {
namespace {

using Json = nlohmann::json;

// Approximate memory of all values. A value that is used again counts again.
constexpr size_t kMostBytes = 64 << 20;
constexpr size_t kOfContainer = 64;
constexpr size_t kOfMember = 64;  // its node in a map
constexpr size_t kMostMarks = 1 << 10;
constexpr size_t kMostDepth = 32;

// The stack machine of Python's pickletools, limited to the operations that torch's pickler uses
// (torch/csrc/jit/serialization/pickler.h).
class PickleReader {
 public:
  explicit PickleReader(std::string_view text) : text_(text) {}

  std::optional<Json> read() {
    while (sound_ && at_ < text_.size()) {
      const auto operation = static_cast<unsigned char>(text_[at_++]);
      if (operation == '.')
        return sound_ && marks_.empty() && stack_.size() == 1 ? std::optional(stack_[0].json) : std::nullopt;
      step(operation);
    }
    return std::nullopt;
  }

 private:
  struct Value {
    Json json;
    size_t depth = 0;
  };

  void step(unsigned char operation) {
    switch (operation) {
      case 0x80: return void(number(1));
      case '(': return mark();
      case '}': return push(Json::object());
      case ']':
      case ')': return push(Json::array());
      case 'N': return push(nullptr);
      case 0x88: return push(true);
      case 0x89: return push(false);
      case 'K': return push(number(1));
      case 'M': return push(number(2));
      case 'J': return push(static_cast<int32_t>(number(4)));
      case 0x8a: return push_long(number(1));
      case 'G': return push(std::bit_cast<double>(__builtin_bswap64(number(8))));
      case 'X': return push_text(number(4));
      case 0x8c: return push_text(number(1));
      default: return step_over_values(operation);
    }
  }

  void step_over_values(unsigned char operation) {
    switch (operation) {
      case 'q': return keep(number(1));
      case 'r': return keep(number(4));
      case 'h': return fetch(number(1));
      case 'j': return fetch(number(4));
      case 'a': return append(below(1));
      case 'e': return append(after_mark());
      case 's': return set(below(2));
      case 'u': return set(after_mark());
      case 't': return wrap(after_mark());
      case 0x85: return wrap(below(1));
      case 0x86: return wrap(below(2));
      case 0x87: return wrap(below(3));
      default: sound_ = false;
    }
  }

  // Little-endian; 0 if the text ends too early.
  uint64_t number(size_t bytes) {
    if (text_.size() - at_ < bytes) {
      sound_ = false;
      return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= uint64_t{static_cast<unsigned char>(text_[at_ + i])} << (8 * i);
    at_ += bytes;
    return value;
  }

  void push_long(uint64_t bytes) {
    if (bytes > 8) sound_ = false;
    if (!sound_) return;
    const uint64_t value = number(bytes);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes);
    push(bytes == 0 ? int64_t{0} : static_cast<int64_t>(value << unused) >> unused);
  }

  void push_text(uint64_t bytes) {
    if (text_.size() - at_ < bytes) sound_ = false;
    if (!sound_) return;
    push(std::string(text_.substr(at_, bytes)));
    at_ += bytes;
  }

  void charge(size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMostBytes) sound_ = false;
  }

  void mark() {
    if (marks_.size() >= kMostMarks) sound_ = false;
    if (sound_) marks_.push_back(stack_.size());
  }

  void push(Json json, size_t depth = 0) {
    if (depth > kMostDepth) sound_ = false;
    charge(sizeof(Value) + (json.is_structured() ? kOfContainer : 0));
    if (json.is_string()) charge(json.get_ref<const std::string&>().size());
    if (sound_) stack_.push_back({std::move(json), depth});
  }

  // The index of the first of the topmost `count` values.
  size_t below(size_t count) {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < floor + count) sound_ = false;
    return sound_ ? stack_.size() - count : 0;
  }

  size_t after_mark() {
    if (marks_.empty()) {
      sound_ = false;
      return 0;
    }
    const size_t begin = marks_.back();
    marks_.pop_back();
    return begin;
  }

  // The container before `begin`. Sets its depth to one more than the greatest depth of the values that go into it.
  Json* container(size_t begin, Json::value_t kind) {
    const bool there = sound_ && begin > (marks_.empty() ? 0 : marks_.back()) && stack_[begin - 1].json.type() == kind;
    if (!there) sound_ = false;
    if (!there) return nullptr;
    size_t& depth = stack_[begin - 1].depth;
    for (size_t i = begin; i < stack_.size(); ++i) depth = std::max(depth, stack_[i].depth + 1);
    if (depth > kMostDepth) sound_ = false;
    return &stack_[begin - 1].json;
  }

  void append(size_t begin) {
    Json* list = container(begin, Json::value_t::array);
    if (list == nullptr) return;
    for (size_t i = begin; i < stack_.size(); ++i) list->push_back(std::move(stack_[i].json));
    stack_.resize(begin);
  }

  void set(size_t begin) {
    Json* map = container(begin, Json::value_t::object);
    if (map == nullptr || (stack_.size() - begin) % 2 != 0) sound_ = false;
    if (!sound_) return;
    for (size_t i = begin; i < stack_.size(); i += 2) {
      const Json& key = stack_[i].json;
      if (!key.is_primitive()) sound_ = false;
      if (!sound_) return;
      charge(kOfMember);
      (*map)[key.is_string() ? key.get<std::string>() : key.dump()] = std::move(stack_[i + 1].json);
    }
    stack_.resize(begin);
  }

  void wrap(size_t begin) {
    if (!sound_) return;
    Json list = Json::array();
    size_t depth = 0;
    for (size_t i = begin; i < stack_.size(); ++i) {
      depth = std::max(depth, stack_[i].depth + 1);
      list.push_back(std::move(stack_[i].json));
    }
    stack_.resize(begin);
    push(std::move(list), depth);
  }

  // Lists and maps are stored as null, because a text that used them repeatedly could grow without limit. Pickles of
  // torch repeat the frames of stacks in this way.
  void keep(uint64_t name) {
    if (stack_.empty()) sound_ = false;
    if (!sound_) return;
    const Json json = stack_.back().json.is_primitive() ? stack_.back().json : Json();
    charge(sizeof(Value) + kOfMember + (json.is_string() ? json.get_ref<const std::string&>().size() : 0));
    if (sound_) kept_[name] = json;
  }

  void fetch(uint64_t name) {
    const auto found = kept_.find(name);
    if (found == kept_.end()) sound_ = false;
    if (sound_) push(found->second);
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t bytes_ = 0;
  bool sound_ = true;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::map<uint64_t, Json> kept_;
};

}  // namespace

std::optional<std::string> json_of_pickle(std::string_view pickle) {
  const std::optional<Json> found = PickleReader(pickle).read();
  if (!found) return std::nullopt;
  return found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster
