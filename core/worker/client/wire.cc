// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/wire.h"

#include <cstring>

namespace muster::worker {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kLength = 2;
constexpr uint32_t kFixed32 = 5;
constexpr uint32_t kTypeBits = 3;

// Bytes reserved for a length that is filled in later, as a varint padded to 4 bytes. Up to 256 MiB.
constexpr size_t kLengthBytes = 4;
constexpr size_t kLongestVarint = 10;

char* put_varint(char* to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

}  // namespace

void WireWriter::tag_and(uint32_t field, uint32_t type, uint64_t value) {
  char bytes[2 * kLongestVarint];
  text_.append(bytes, put_varint(put_varint(bytes, field << kTypeBits | type), value));
}

WireWriter& WireWriter::number(uint32_t field, uint64_t value) { return value == 0 ? *this : repeated(field, value); }

WireWriter& WireWriter::repeated(uint32_t field, uint64_t value) {
  tag_and(field, kVarint, value);
  return *this;
}

WireWriter& WireWriter::zigzag(uint32_t field, int64_t value) {
  return number(field, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

WireWriter& WireWriter::real(uint32_t field, double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  char fixed[kLongestVarint + sizeof bits];
  char* to = put_varint(fixed, field << kTypeBits | kFixed64);
  for (uint32_t i = 0; i < sizeof bits; ++i) *to++ = static_cast<char>(bits >> (8 * i));
  text_.append(fixed, to);
  return *this;
}

WireWriter& WireWriter::bytes(uint32_t field, std::string_view value) {
  if (value.empty()) return *this;
  tag_and(field, kLength, value.size());
  text_ += value;
  return *this;
}

size_t WireWriter::open(uint32_t field) {
  tag_and(field, kLength, 0);
  text_.append(kLengthBytes - 1, '\0');
  return text_.size();
}

WireWriter& WireWriter::close(size_t body) {
  const size_t length = text_.size() - body;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    const size_t more = i + 1 < kLengthBytes ? 0x80 : 0;
    text_[body - kLengthBytes + i] = static_cast<char>((length >> (7 * i) & 0x7f) | more);
  }
  return *this;
}

std::optional<WireField> WireReader::fail() {
  ok_ = false;
  rest_ = {};
  return std::nullopt;
}

std::optional<uint64_t> WireReader::varint() {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> WireReader::take(uint64_t size) {
  if (size > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::optional<uint64_t> tag = varint();
  if (!tag || *tag >> kTypeBits == 0 || *tag > UINT32_MAX) return fail();
  WireField field;
  field.number = static_cast<uint32_t>(*tag >> kTypeBits);
  const uint32_t type = *tag & ((1U << kTypeBits) - 1);
  if (type == kVarint) {
    const std::optional<uint64_t> value = varint();
    if (!value) return fail();
    field.value = *value;
    return field;
  }
  std::optional<uint64_t> size;
  if (type == kLength) size = varint();
  if (type == kFixed64) size = 8;
  if (type == kFixed32) size = 4;
  const std::optional<std::string_view> bytes = size ? take(*size) : std::nullopt;
  if (!bytes) return fail();
  field.bytes = *bytes;
  return field;
}

}  // namespace muster::worker
