// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_message.h"

namespace muster {
namespace {

constexpr size_t kLengthBytes = 4;

}  // namespace

WarmMessage& WarmMessage::text(std::string_view value) {
  body_.append(value);
  body_ += '\0';
  return *this;
}

WarmMessage& WarmMessage::number(int64_t value) { return text(std::to_string(value)); }

WarmMessage& WarmMessage::list(const std::vector<std::string>& values) {
  number(static_cast<int64_t>(values.size()));
  for (const std::string& value : values) text(value);
  return *this;
}

std::string WarmMessage::bytes() const {
  std::string bytes;
  for (size_t i = 0; i < kLengthBytes; ++i) bytes += static_cast<char>(body_.size() >> (8 * i) & 0xff);
  return bytes + body_;
}

std::optional<std::vector<std::string>> take_message(std::string& received) {
  if (received.size() < kLengthBytes) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length |= size_t{static_cast<unsigned char>(received[i])} << (8 * i);
  if (received.size() - kLengthBytes < length) return std::nullopt;
  std::vector<std::string> fields;
  size_t begin = kLengthBytes;
  for (size_t at = begin; at < kLengthBytes + length; ++at) {
    if (received[at] != '\0') continue;
    fields.push_back(received.substr(begin, at - begin));
    begin = at + 1;
  }
  received.erase(0, kLengthBytes + length);
  return fields;
}

}  // namespace muster
