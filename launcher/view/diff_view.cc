// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/diff_view.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/client/view/document.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> value_of(const DiffSide& side, const std::string& key) {
  const auto found = side.values.find(key);
  if (found == side.values.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

}  // namespace

std::vector<Difference> differences(const DiffSide& left, const DiffSide& right) {
  std::set<std::string> keys;
  for (const DiffSide* side : {&left, &right}) {
    for (const auto& [key, value] : side->values) keys.insert(key);
  }
  std::vector<Difference> found;
  for (const std::string& key : keys) {
    Difference each{key, value_of(left, key), value_of(right, key)};
    if (each.left != each.right) found.push_back(std::move(each));
  }
  return found;
}

std::string diff_text(const DiffSide& left, const DiffSide& right, const std::vector<Difference>& found,
                      const Style& style) {
  if (found.empty()) return "";
  std::string text =
      paint(style, Colour::red, "- " + left.title) + "\n" + paint(style, Colour::green, "+ " + right.title) + "\n";
  for (const Difference& each : found) {
    if (each.left) text += paint(style, Colour::red, "- " + each.key + ": " + escaped(*each.left)) + "\n";
    if (each.right) text += paint(style, Colour::green, "+ " + each.key + ": " + escaped(*each.right)) + "\n";
  }
  return text;
}

std::string diff_json(const DiffSide& left, const DiffSide& right, const std::vector<Difference>& found) {
  Json list = Json::array();
  for (const Difference& each : found) {
    Json object{{"key", each.key}};
    if (each.left) object["left"] = *each.left;
    if (each.right) object["right"] = *each.right;
    list.push_back(std::move(object));
  }
  return document_of("diff", Json{{"left", left.title}, {"right", right.title}, {"differences", list}});
}

}  // namespace muster
