// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmi/pmi_store.h"

#include <charconv>

#include "core/base/text.h"
#include "core/node/pmi/pmi_world.h"

namespace muster {
namespace {

// "5:value"
void add_text(std::string& bytes, const std::string& text) { bytes += std::to_string(text.size()) + ":" + text; }

std::optional<std::string> take_text(std::string_view& bytes) {
  size_t length = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), length);
  if (error != std::errc() || end == bytes.data() + bytes.size() || *end != ':') return std::nullopt;
  bytes.remove_prefix(static_cast<size_t>(end - bytes.data()) + 1);
  if (length > bytes.size()) return std::nullopt;
  std::string text(bytes.substr(0, length));
  bytes.remove_prefix(length);
  return text;
}

}  // namespace

void PmiStore::preset(const std::string& key, const std::string& value) {
  values_[key] = value;
  bytes_ += key.size() + value.size();
}

Status PmiStore::put(const std::string& key, const std::string& value) {
  if (key.empty() || key.size() >= kPmiKeyMost)
    return {Code::invalid_argument, "a key has 1 to " + std::to_string(kPmiKeyMost - 1) + " bytes"};
  if (value.size() >= kPmiValueMost)
    return {Code::invalid_argument, "a value has at most " + std::to_string(kPmiValueMost - 1) + " bytes"};
  const auto before = values_.find(key);
  const size_t others = bytes_ - (before == values_.end() ? 0 : key.size() + before->second.size());
  if (others + key.size() + value.size() > kPmiStoreMost)
    return {Code::resource_exhausted, "the keys and values of the job are larger than " + humane_size(kPmiStoreMost)};
  bytes_ = others + key.size() + value.size();
  values_[key] = value;
  fresh_[key] = value;
  return {};
}

std::optional<std::string> PmiStore::get(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::string PmiStore::take_new() {
  std::string bytes;
  for (const auto& [key, value] : fresh_) {
    add_text(bytes, key);
    add_text(bytes, value);
  }
  fresh_.clear();
  return bytes;
}

Status PmiStore::merge(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto key = take_text(bytes);
    const auto value = key ? take_text(bytes) : std::nullopt;
    if (!value) return {Code::invalid_argument, "the values of another node are damaged"};
    if (const Status status = put(*key, *value); !status.ok()) return status;
    fresh_.erase(*key);
  }
  return {};
}

}  // namespace muster
