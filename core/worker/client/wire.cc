#include "core/worker/client/wire.h"

#include <cstring>

namespace muster::worker {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kLength = 2;
constexpr uint32_t kFixed32 = 5;
constexpr uint32_t kTypeBits = 3;

}  // namespace

void WireWriter::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
  text_ += static_cast<char>(value);
}

void WireWriter::tag(uint32_t field, uint32_t type) { varint(field << kTypeBits | type); }

WireWriter& WireWriter::number(uint32_t field, uint64_t value) { return value == 0 ? *this : repeated(field, value); }

WireWriter& WireWriter::repeated(uint32_t field, uint64_t value) {
  tag(field, kVarint);
  varint(value);
  return *this;
}

WireWriter& WireWriter::zigzag(uint32_t field, int64_t value) {
  return number(field, (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

WireWriter& WireWriter::real(uint32_t field, double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  tag(field, kFixed64);
  for (uint32_t i = 0; i < sizeof bits; ++i) text_ += static_cast<char>(bits >> (8 * i));
  return *this;
}

WireWriter& WireWriter::bytes(uint32_t field, std::string_view value) {
  if (value.empty()) return *this;
  tag(field, kLength);
  varint(value.size());
  text_ += value;
  return *this;
}

WireWriter& WireWriter::message(uint32_t field, const WireWriter& value) {
  tag(field, kLength);
  varint(value.text().size());
  text_ += value.text();
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
