// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/frameworks_view.h"

#include <nlohmann/json.hpp>

#include "core/client/view/document.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

struct Shown {
  std::string_view name;
  std::string_view why;
  bool fills_gap = false;
};

constexpr std::string_view kInterface = "on hosts and in pods: the network interface of the node's address";

// The agent of the node adds these for all frameworks (core/agent/local_tasks.h).
const std::vector<Shown>& set_by_agents() {
  static const std::vector<Shown> all = {
      {"MUSTER_INDEX", "number of the rank in the job, over all groups"},
      {"MUSTER_SOCKET", "path of the socket for store, barriers and progress"},
      {"MUSTER_PROGRAM", "path of muster's program on the node"},
      {"GLOO_SOCKET_IFNAME", kInterface, true},
      {"TP_SOCKET_IFNAME", kInterface, true},
      {"HOROVOD_GLOO_IFACE", kInterface, true},
  };
  return all;
}

// In the order of the tables. If two tables have the same name, the later one counts.
std::vector<Shown> shown(const FrameworkInfo& info) {
  std::vector<Shown> list = set_by_agents();
  std::vector<std::span<const FrameworkVariable>> tables = info.variables;
  tables.push_back(info.files);
  for (const auto& variables : tables) {
    for (const FrameworkVariable& each : variables) {
      std::erase_if(list, [&](const Shown& earlier) { return earlier.name == each.name; });
      list.push_back({each.name, each.why, each.fills_gap});
    }
  }
  return list;
}

std::string heading(const Style& style, std::string_view text) { return paint(style, Colour::bold, text) + "\n"; }

std::string variables_text(const FrameworkInfo& info, const Style& style) {
  std::vector<Row> rows{{{"VARIABLE"}, {"MEANING"}}};
  for (const Shown& each : shown(info)) {
    const std::string gap = each.fills_gap ? " (unless you set it)" : "";
    rows.push_back({{std::string(each.name)}, {std::string(each.why) + gap}});
  }
  return table(rows, style, 2);
}

std::string words_text(const Style& style) {
  std::vector<Row> rows{{{"PLACEHOLDER"}, {"MEANING"}}};
  for (const TemplateWord& word : template_vocabulary())
    rows.push_back({{"${" + std::string(word.name) + "}"}, {std::string(word.means)}});
  return table(rows, style, 2);
}

Json framework_object(const FrameworkInfo& info) {
  Json variables = Json::array();
  for (const Shown& each : shown(info))
    variables.push_back({{"name", each.name}, {"why", each.why}, {"unless_set", each.fills_gap}});
  return {{"name", to_string(info.framework)},
          {"summary", info.summary},
          {"service", info.service},
          {"arguments", info.arguments},
          {"variables", variables}};
}

}  // namespace

std::string frameworks_text(const Style& style) {
  std::vector<Row> rows{{{"FRAMEWORK"}, {"FOR"}}};
  for (const Framework each : all_frameworks())
    rows.push_back({{std::string(to_string(each))}, {std::string(framework_info(each).summary)}});
  return table(rows, style);
}

std::string framework_text(const FrameworkInfo& info, const Style& style) {
  std::string text = heading(style, std::string(to_string(info.framework)) + ": " + std::string(info.summary));
  text += "service: " + std::string(info.service) + "\nadded arguments: " + std::string(info.arguments) + "\n\n";
  text += variables_text(info, style);
  if (info.framework == Framework::custom)
    text += "\nplaceholders of a template; $$ is a dollar sign\n" + words_text(style);
  return text;
}

std::string frameworks_json() {
  Json list = Json::array();
  for (const Framework each : all_frameworks()) list.push_back(framework_object(framework_info(each)));
  return document_of("frameworks", Json{{"frameworks", list}});
}

std::string framework_json(const FrameworkInfo& info) { return document_of("framework", framework_object(info)); }

}  // namespace muster
