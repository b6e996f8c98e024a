#include "core/base/base64.h"

#include <cstdint>

namespace muster {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr size_t kBytes = 3;
constexpr size_t kText = 4;  // letters for so many bytes
constexpr int kBits = 6;     // of a letter

uint32_t byte_at(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + kBytes - 1) / kBytes * kText);
  for (size_t i = 0; i < bytes.size(); i += kBytes) {
    const uint32_t group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    for (size_t letter = 0; letter < kText; ++letter)
      text += i + letter > bytes.size() ? '=' : kLetters[group >> (kBits * (kText - 1 - letter)) & 63U];
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % kText != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / kText * kBytes);
  for (size_t i = 0; i < text.size(); i += kText) {
    const bool last = i + kText == text.size();
    const size_t blank = !last ? 0 : text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    uint32_t group = 0;
    for (size_t letter = 0; letter < kText; ++letter) {
      const size_t value = letter >= kText - blank ? 0 : kLetters.find(text[i + letter]);
      if (value == std::string_view::npos) return std::nullopt;
      group = group << kBits | static_cast<uint32_t>(value);
    }
    for (size_t byte = 0; byte < kBytes - blank; ++byte) bytes += static_cast<char>(group >> (8 * (2 - byte)) & 255U);
  }
  return bytes;
}

}  // namespace muster
