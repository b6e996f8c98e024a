// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/job_node.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/job/mpirun/launcher_variables.h"

namespace muster {
namespace {

using Json = nlohmann::json;

constexpr uint32_t kMostSlots = 65'536;

std::string value_of(const std::map<std::string, std::string>& variables, const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

// "worker, other": the names between the commas, without blanks around them.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string& part : split(list, ',')) {
    const size_t begin = part.find_first_not_of(' ');
    if (begin != std::string::npos) names.push_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
  }
  return names;
}

}  // namespace

std::string nodes_to_json(const std::vector<JobNode>& nodes) {
  Json list = Json::array();
  for (const JobNode& node : nodes) {
    list.push_back({{"name", node.name},
                    {"address", node.address},
                    {"loopback", node.loopback},
                    {"ranks", node.ranks},
                    {"first_rank", node.first_rank},
                    {"group", node.group},
                    {"attempt", node.attempt}});
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::vector<JobNode>> nodes_from_json(std::string_view text) {
  std::vector<JobNode> nodes;
  try {
    for (const Json& j : Json::parse(text))
      nodes.push_back({j.at("name"), j.at("address"), j.at("loopback"), j.at("ranks"), j.at("first_rank"),
                       j.value("group", std::string()), j.value("attempt", 0u)});
  } catch (const Json::exception& error) {
    return Status(Code::invalid_argument, std::string("invalid list of nodes: ") + error.what());
  }
  return nodes;
}

Result<std::vector<JobNode>> launcher_nodes(const std::vector<JobNode>& nodes,
                                            const std::map<std::string, std::string>& variables) {
  const std::string slots = value_of(variables, kMpirunSlots);
  const std::vector<std::string> groups = names_in(value_of(variables, kMpirunGroups));
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(slots.data(), slots.data() + slots.size(), number);
  const bool whole = error == std::errc() && end == slots.data() + slots.size() && number > 0 && number <= kMostSlots;
  if (!slots.empty() && !whole)
    return Status(Code::invalid_argument, std::string(kMpirunSlots) + "=" + escaped(slots) +
                                              " is no number of slots: use 1 to " + std::to_string(kMostSlots));
  for (const std::string& name : groups) {
    const bool known = std::any_of(nodes.begin(), nodes.end(), [&](const JobNode& node) { return node.group == name; });
    if (!known && !nodes.empty())
      return Status(Code::invalid_argument, std::string(kMpirunGroups) + " names " + escaped(name) +
                                                ", which is no group of the job that has nodes");
  }
  std::vector<JobNode> chosen;
  for (const JobNode& node : nodes) {
    if (!groups.empty() && std::find(groups.begin(), groups.end(), node.group) == groups.end()) continue;
    chosen.push_back(node);
    if (!slots.empty()) chosen.back().ranks = number;
  }
  return chosen;
}

}  // namespace muster
