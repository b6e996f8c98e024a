// SPDX-License-Identifier: Apache-2.0
// The part of protobuf's wire format (https://protobuf.dev/programming-guides/encoding) that worker.proto needs, so that
// libmuster does not link protobuf. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::worker {

// Encodes a message. Fields with their default value are omitted, as in proto3.
class WireWriter {
 public:
  WireWriter() = default;
  // Begins with `text`; reserves `room` bytes.
  WireWriter(std::string_view text, size_t room) {
    text_.reserve(room);
    text_ = text;
  }
  WireWriter& number(uint32_t field, uint64_t value);
  WireWriter& repeated(uint32_t field, uint64_t value);  // an element of a list; zeros are written
  WireWriter& zigzag(uint32_t field, int64_t value);     // sint64
  WireWriter& real(uint32_t field, double value);
  WireWriter& bytes(uint32_t field, std::string_view value);
  // A submessage that `fill(*this)` writes in place. Written even if it is empty, because its presence has a meaning.
  template <typename Fill>
  WireWriter& message(uint32_t field, Fill fill) {
    const size_t body = open(field);
    fill(*this);
    return close(body);
  }
  const std::string& text() const { return text_; }
  std::string take() && { return std::move(text_); }

 private:
  void tag_and(uint32_t field, uint32_t type, uint64_t value);
  // Begins a submessage whose length is filled in by close(); returns the position of its body.
  size_t open(uint32_t field);
  WireWriter& close(size_t body);
  std::string text_;
};

struct WireField {
  uint32_t number = 0;
  uint64_t value = 0;      // for numbers
  std::string_view bytes;  // for bytes and messages; a view into the reader's text
};

// Reads the fields of a message one by one. Safe for arbitrary bytes.
class WireReader {
 public:
  explicit WireReader(std::string_view text) : rest_(text) {}
  // nullopt: the end of the message, or, if ok() is false, invalid bytes.
  std::optional<WireField> next();
  bool ok() const { return ok_; }

 private:
  std::optional<uint64_t> varint();
  std::optional<std::string_view> take(uint64_t size);
  std::optional<WireField> fail();

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace muster::worker
