// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/master_words.h"

#include <string_view>

namespace muster::ssh {
namespace {

constexpr uint32_t kVersion = 4;
constexpr uint32_t kRequest = 1;
constexpr uint32_t kNoEscape = 0xffffffff;
constexpr uint32_t kLongestAnswer = 256 << 10;

constexpr uint32_t kHello = 0x00000001;
constexpr uint32_t kNewSession = 0x10000002;
constexpr uint32_t kDenied = 0x80000002;
constexpr uint32_t kFailure = 0x80000003;
constexpr uint32_t kExit = 0x80000004;
constexpr uint32_t kOpened = 0x80000006;

std::string number(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// The number at `index` in a sequence of 32-bit numbers; 0 if there is none.
uint32_t number_at(std::string_view bytes, size_t index) {
  uint32_t value = 0;
  for (size_t i = 4 * index; i < 4 * index + 4; ++i)
    value = value << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
  return value;
}

std::string text(const std::string& value) { return number(static_cast<uint32_t>(value.size())) + value; }

MasterWord word_of(std::string_view message) {
  switch (number_at(message, 0)) {
    case kHello: return {number_at(message, 1) == kVersion ? MasterWord::Kind::other : MasterWord::Kind::unknown};
    case kOpened: return {MasterWord::Kind::opened};
    case kDenied:
    case kFailure: return {MasterWord::Kind::refused};
    case kExit: return {MasterWord::Kind::exited, static_cast<int>(number_at(message, 2))};
    default: return {};
  }
}

}  // namespace

std::string session_request(const std::string& command, const std::map<std::string, std::string>& environment) {
  const std::string no = number(0);
  std::string request = number(kNewSession) + number(kRequest) + text("");
  for (int i = 0; i < 4; ++i) request += no;  // terminal, X11, agent, subsystem
  request += number(kNoEscape) + text("") + text(command);
  for (const auto& [name, value] : environment) request += text(name + "=" + value);
  return text(number(kHello) + number(kVersion)) + text(request);
}

std::optional<MasterWord> take_master_word(std::string& came) {
  if (came.size() < sizeof(uint32_t)) return std::nullopt;
  const uint32_t length = number_at(came, 0);
  if (length > kLongestAnswer) return MasterWord{MasterWord::Kind::unknown};
  if (came.size() < sizeof(uint32_t) + length) return std::nullopt;
  const MasterWord word = word_of(std::string_view(came).substr(sizeof(uint32_t), length));
  came.erase(0, sizeof(uint32_t) + length);
  return word;
}

}  // namespace muster::ssh
