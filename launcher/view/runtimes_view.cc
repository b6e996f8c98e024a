// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/runtimes_view.h"

#include <nlohmann/json.hpp>

#include "core/client/view/document.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string runtimes_table(const std::vector<RuntimeFile>& files, const Style& style, bool wide) {
  if (files.empty()) return "";
  std::vector<Row> rows{{{"NAME", Colour::bold}, {"FROM", Colour::bold}, {"EXTENDS", Colour::bold}}};
  if (wide) rows.front().push_back({"FILE", Colour::bold});
  rows.front().push_back({"DESCRIPTION", Colour::bold});
  for (const RuntimeFile& file : files) {
    const std::string from = file.layer + (file.shadowed ? " (shadowed)" : "");
    Row row{{file.name}, {from, file.shadowed ? Colour::dim : Colour::none}, {or_dash(file.base)}};
    if (wide) row.push_back({file.file});
    row.push_back({or_dash(file.description)});
    rows.push_back(std::move(row));
  }
  return table(rows, style);
}

std::string runtimes_json(const std::vector<RuntimeFile>& files) {
  Json list = Json::array();
  for (const RuntimeFile& file : files) {
    Json each{{"name", file.name}, {"from", file.layer}, {"file", file.file}, {"shadowed", file.shadowed}};
    if (!file.base.empty()) each["runtime"] = file.base;
    if (!file.description.empty()) each["description"] = file.description;
    list.push_back(std::move(each));
  }
  return document_of("runtimes", Json{{"runtimes", list}});
}

std::string runtime_json(const std::string& name, const std::vector<ConfigLayer>& templates) {
  Json list = Json::array();
  for (const ConfigLayer& each : templates) list.push_back({{"file", each.file}, {"text", each.text}});
  return document_of("runtime", Json{{"name", name}, {"templates", list}});
}

}  // namespace muster
