// The little of protobuf's wire format that worker.proto needs, so that libmuster carries no protobuf
// (https://protobuf.dev/programming-guides/encoding). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::worker {

// Fields with their default value are left out, as proto3 does.
class WireWriter {
 public:
  WireWriter() = default;
  // Begins with `text`; with room for so many bytes, where that is known.
  WireWriter(std::string_view text, size_t room) {
    text_.reserve(room);
    text_ = text;
  }
  WireWriter& number(uint32_t field, uint64_t value);
  WireWriter& repeated(uint32_t field, uint64_t value);  // one of a list: zeros count
  WireWriter& zigzag(uint32_t field, int64_t value);     // sint64
  WireWriter& real(uint32_t field, double value);
  WireWriter& bytes(uint32_t field, std::string_view value);
  // What `fill(*this)` writes, in place: nothing is copied. Written even when empty: that it is there says something.
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
  // Where the body of a message begins whose length is not known yet.
  size_t open(uint32_t field);
  WireWriter& close(size_t body);
  std::string text_;
};

struct WireField {
  uint32_t number = 0;
  uint64_t value = 0;      // of a number
  std::string_view bytes;  // of bytes and messages, in the reader's text
};

// Gives the fields of a message one by one. Any bytes are safe.
class WireReader {
 public:
  explicit WireReader(std::string_view text) : rest_(text) {}
  // Nothing: the end, or what follows is no field; then ok() is false.
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
