// SPDX-License-Identifier: Apache-2.0
// Converts JSON documents to block YAML. yaml-cpp writes it; this file decides which texts are quoted and which become
// literal blocks.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/client/view/json.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestTruth = 5;  // "false"

// True if all characters but line ends and tabs are printable, and none is a line separator or a byte order mark.
bool is_visible(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\t'; });
  const auto has = [&](const char* mark) { return text.find(mark) != std::string::npos; };
  return escaped(text) == text && !has("\u2028") && !has("\u2029") && !has("\ufeff");
}

// True if some YAML reader may take the unquoted text for a number, a date, a boolean or an operator. yaml-cpp itself
// quotes null and texts with YAML syntax.
bool is_ambiguous(const std::string& text) {
  const bool is_word = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '/');
  bool truth = false;
  return !is_word || (text.size() <= kLongestTruth && YAML::convert<bool>::decode(YAML::Node(text), truth));
}

// True if the text can be a literal block without indentation and chomping indicators; yaml-cpp writes neither.
bool fits_literal_block(const std::string& text) {
  return text.size() > 1 && text.ends_with('\n') && !text.ends_with("\n\n") &&
         std::isspace(static_cast<unsigned char>(text[0])) == 0;
}

void write_text(YAML::Emitter& out, const std::string& text) {
  if (!is_visible(text)) {
    out << YAML::DoubleQuoted << YAML::EscapeNonAscii << text;
  } else if (is_ambiguous(text)) {
    out << YAML::DoubleQuoted << text;
  } else {
    out << text;
  }
}

void write_value(YAML::Emitter& out, const std::string& text) {
  if (!is_visible(text) || !fits_literal_block(text)) return write_text(out, text);
  out << YAML::Literal << text.substr(0, text.size() - 1);
}

void write(YAML::Emitter& out, const Json& value) {
  if (value.is_structured() && value.empty()) out << YAML::Flow;
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, each] : value.items()) {
      out << YAML::Key;
      write_text(out, key);
      out << YAML::Value;
      write(out, each);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << YAML::BeginSeq;
    for (const Json& each : value) write(out, each);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    write_value(out, value.get_ref<const std::string&>());
  } else if (value.is_null()) {
    out << YAML::Null;
  } else {
    out << value.dump();
  }
}

}  // namespace

std::string yaml_from_json(std::string_view json) {
  YAML::Emitter out;
  out.SetNullFormat(YAML::LowerNull);
  write(out, Json::parse(json, nullptr, false));
  return std::string(out.c_str()) + "\n";
}

}  // namespace muster
