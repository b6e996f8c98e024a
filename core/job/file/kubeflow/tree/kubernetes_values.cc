// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/tree/kubernetes_values.h"

#include <algorithm>
#include <charconv>

namespace muster {
namespace {

using Kind = YamlNode::Kind;

bool is_one_of(std::string_view text, std::string_view a, std::string_view b, std::string_view c) {
  return text == a || text == b || text == c;
}

bool is_plain(const YamlNode& node) { return node.kind == Kind::scalar && !node.quoted; }

// The truth values of YAML 1.1, which Kubernetes reads.
bool is_yes(const YamlNode& node) {
  return is_plain(node) && (is_one_of(node.text, "true", "True", "TRUE") || is_one_of(node.text, "yes", "Yes", "YES") ||
                            is_one_of(node.text, "on", "On", "ON"));
}

bool is_no(const YamlNode& node) {
  return is_plain(node) && (is_one_of(node.text, "false", "False", "FALSE") || is_one_of(node.text, "no", "No", "NO") ||
                            is_one_of(node.text, "off", "Off", "OFF"));
}

// 0755 and 0o755 in decimal; other texts as they are.
std::string in_decimal(const std::string& text) {
  std::string_view digits = text;
  if (!digits.starts_with('0') || digits.size() < 2) return text;
  digits.remove_prefix(digits.starts_with("0o") ? 2 : 1);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 8);
  const bool octal = error == std::errc() && end == digits.data() + digits.size();
  return octal ? std::to_string(number) : text;
}

}  // namespace

bool is_truth(const YamlNode& node) { return is_yes(node) || is_no(node); }

void settle_values(YamlNode& node) {
  if (is_truth(node))
    node.text = is_yes(node) ? "true" : "false";
  else if (is_plain(node))
    node.text = in_decimal(node.text);
  for (YamlNode& item : node.items) settle_values(item);
  std::erase_if(node.entries, [](const YamlEntry& each) { return each.value.kind == Kind::null; });
  for (YamlEntry& entry : node.entries) settle_values(entry.value);
}

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '\r' && c != '\n'; });
  if (digits.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && digits.ends_with('='); ++padding) digits.pop_back();
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char each : digits) {
    const size_t at = kAlphabet.find(each);
    if (at == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(at);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>((bits >> held) & 0xff);
  }
  return bytes;
}

}  // namespace muster
