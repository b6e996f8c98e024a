// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmix/pmix_message.h"

#include <algorithm>
#include <charconv>

#include "core/base/short_hash.h"

namespace muster {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kLongestName = 200;  // of a set of ranks in a key

void append_length(std::string& text, size_t length) {
  for (size_t byte = 0; byte < kLengthBytes; ++byte) text += static_cast<char>(length >> (8 * byte));
}

std::optional<size_t> length_at(const std::string& text, size_t at) {
  if (text.size() < at + kLengthBytes) return std::nullopt;
  size_t length = 0;
  for (size_t byte = 0; byte < kLengthBytes; ++byte)
    length |= static_cast<size_t>(static_cast<unsigned char>(text[at + byte])) << (8 * byte);
  return length;
}

}  // namespace

std::string pmix_list(const PmixFields& items) {
  std::string text;
  for (const std::string& item : items) {
    append_length(text, item.size());
    text += item;
  }
  return text;
}

PmixFields pmix_items(const std::string& list) {
  PmixFields items;
  for (size_t at = 0; at < list.size();) {
    const std::optional<size_t> length = length_at(list, at);
    if (!length || *length > list.size() - at - kLengthBytes) break;
    items.push_back(list.substr(at + kLengthBytes, *length));
    at += kLengthBytes + *length;
  }
  return items;
}

std::string pmix_message(const PmixFields& fields) {
  const std::string body = pmix_list(fields);
  std::string text;
  append_length(text, body.size());
  return text + body;
}

std::optional<PmixFields> take_pmix_message(std::string& received) {
  const std::optional<size_t> length = length_at(received, 0);
  if (!length || received.size() - kLengthBytes < *length) return std::nullopt;
  PmixFields fields = pmix_items(received.substr(kLengthBytes, *length));
  received.erase(0, kLengthBytes + *length);
  return fields;
}

std::string pmix_numbers(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (const uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::vector<uint32_t> numbers_in(const std::string& text) {
  std::vector<uint32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    uint32_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    at = next < end ? next + 1 : next;
  }
  return numbers;
}

std::string pmix_group(std::vector<uint32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  const std::string name = pmix_numbers(ranks);
  return name.size() > kLongestName ? short_hash(name) : name;
}

}  // namespace muster
