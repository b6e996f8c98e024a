// JSON documents as block YAML: every text that YAML could read as something else stands in JSON's quotes, which
// are YAML's.
#include <nlohmann/json.hpp>

#include "core/client/view/json.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

bool plain_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '/' || c == '.';
}

// Words of letters that no YAML reader takes for a truth value, nothing or a number.
bool plain(const std::string& text) {
  static const std::vector<std::string> traps{"true", "false", "yes", "no", "on", "off", "null", "y", "n",
                                              "True", "False", "Yes", "No", "On", "Off", "Null", "Y", "N",
                                              "TRUE", "FALSE", "YES", "NO", "ON", "OFF", "NULL"};
  if (text.empty() || !((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '/'))
    return false;
  return std::all_of(text.begin(), text.end(), plain_character) &&
         std::find(traps.begin(), traps.end(), text) == traps.end();
}

std::string scalar(const Json& value) {
  if (value.is_string() && plain(value.get_ref<const std::string&>())) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool nests(const Json& value) { return value.is_structured() && !value.empty(); }

void write(const Json& value, size_t indent, std::string& text);

void write_entry(const std::string& lead, const Json& value, size_t indent, std::string& text) {
  text += lead;
  if (!nests(value)) {
    text += " " + scalar(value) + "\n";
    return;
  }
  text += "\n";
  write(value, indent + 2, text);
}

void write(const Json& value, size_t indent, std::string& text) {
  const std::string margin(indent, ' ');
  if (value.is_object()) {
    for (const auto& [key, each] : value.items()) write_entry(margin + scalar(Json(key)) + ":", each, indent, text);
    return;
  }
  for (const Json& each : value) {
    std::string item;
    if (nests(each)) {
      write(each, indent + 2, item);
      item.replace(indent, 1, "-");
    } else {
      item = margin + "- " + scalar(each) + "\n";
    }
    text += item;
  }
}

}  // namespace

std::string yaml_from_json(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  if (!nests(document)) return scalar(document) + "\n";
  std::string text;
  write(document, 0, text);
  return text;
}

}  // namespace muster
