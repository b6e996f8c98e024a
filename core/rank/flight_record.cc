// SPDX-License-Identifier: Apache-2.0
#include "core/rank/flight_record.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace muster {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostGroups = 32;
constexpr size_t kMostName = 64;
constexpr const char* kWorld = "default_pg";

const Json& member(const Json& object, const char* key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? escaped(value.get_ref<const std::string&>().substr(0, kMostName)) : "";
}

// Several groups, each with other ranks, can have the same description. Their names differ.
std::string group_of(const Json& entry) {
  const Json& names = member(entry, "process_group");
  if (!names.is_array() || names.size() != 2) return "";
  const std::string name = text_of(names[0]);
  const std::string description = text_of(names[1]);
  if (description == kWorld) return description;
  const bool described = !description.empty() && description != "undefined";
  return (described ? description + " (" : "group ") + name + (described ? ")" : "");
}

// "nccl:all_reduce"
std::string name_of(const Json& entry) {
  const std::string text = text_of(member(entry, "profiling_name"));
  return text.substr(text.find(':') == std::string::npos ? 0 : text.find(':') + 1);
}

std::string shape_of(const Json& entry) {
  const Json& types = member(entry, "input_dtypes");
  const Json& sizes = member(entry, "input_sizes");
  if (!types.is_array() || !sizes.is_array() || types.empty() || sizes.empty()) return "";
  std::string dimensions;
  for (const Json& size : sizes[0].is_array() ? sizes[0] : Json::array()) {
    if (!size.is_number_unsigned() || dimensions.size() > kMostName) return "";
    dimensions += (dimensions.empty() ? "" : ", ") + std::to_string(size.get<uint64_t>());
  }
  return text_of(types[0]) + " [" + dimensions + "]";
}

// A collective of Gloo is only marked as retired when it is done. A collective of NCCL that is retired but not
// completed has timed out, and its rank still waits in it.
bool is_done(const Json& entry) {
  const std::string state = text_of(member(entry, "state"));
  const Json& retired = member(entry, "retired");
  return state == "completed" || (state == "scheduled" && retired.is_boolean() && retired.get<bool>());
}

void note(std::map<std::string, CollectiveProgress>& groups, const Json& entry) {
  const Json& between_two = member(entry, "is_p2p");
  const Json& sequence = member(entry, "collective_seq_id");
  if (!sequence.is_number_unsigned() || (between_two.is_boolean() && between_two.get<bool>())) return;
  const CollectiveProgress progress{group_of(entry), name_of(entry), shape_of(entry), sequence.get<uint64_t>(),
                                    !is_done(entry)};
  CollectiveProgress& known = groups[progress.group];
  const bool earlier = progress.waits && progress.sequence < known.sequence;
  if (known.waits ? earlier : (progress.waits || progress.sequence >= known.sequence)) known = progress;
}

}  // namespace

std::optional<std::vector<CollectiveProgress>> read_flight_record(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  if (!document.is_object() || !document.contains("version")) return std::nullopt;
  std::map<std::string, CollectiveProgress> groups;
  const Json& entries = member(document, "entries");
  for (const Json& entry : entries.is_array() ? entries : Json::array()) {
    if (entry.is_object()) note(groups, entry);
  }
  if (groups.empty()) groups[kWorld].group = kWorld;
  std::vector<CollectiveProgress> list;
  for (auto& [name, progress] : groups) list.push_back(std::move(progress));
  std::stable_partition(list.begin(), list.end(), [](const CollectiveProgress& progress) { return progress.waits; });
  if (list.size() > kMostGroups) list.resize(kMostGroups);
  return list;
}

std::string flight_record_lines(const std::vector<CollectiveProgress>& collectives) {
  std::string text;
  for (const CollectiveProgress& each : collectives) {
    const std::string number = each.name + " #" + std::to_string(each.sequence) + " of " + each.group;
    const std::string shape = each.shape.empty() ? "" : ", " + each.shape;
    if (each.sequence == 0)
      text += "  flight recorder: no collective of " + each.group + " yet\n";
    else
      text += std::string("  flight recorder: ") + (each.waits ? "waits in " : "completed ") + number + shape + "\n";
  }
  return text;
}

}  // namespace muster
