// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/runtime_merge.h"

#include <algorithm>

#include "core/job/file/job_keys.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

YamlEntry* entry_of(YamlNode& map, std::string_view key) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

bool joins(const Key* key) {
  if (key == nullptr) return false;
  return key->type == KeyType::map || key->type == KeyType::env || key->type == KeyType::labels;
}

// A key whose values are all commented out: the template's value applies.
bool is_silent(const YamlNode& node) { return node.kind == Kind::null; }

void lay_under(YamlNode& upper, YamlNode lower, std::span<const Key> keys);

void join_value(YamlNode& upper, YamlNode lower, const Key* key) {
  if (!joins(key) || lower.kind != Kind::map) return;
  if (is_silent(upper)) {
    upper = std::move(lower);
  } else if (upper.kind == Kind::map) {
    lay_under(upper, std::move(lower), key->type == KeyType::map ? key->children : std::span<const Key>());
  }
}

void lay_under(YamlNode& upper, YamlNode lower, std::span<const Key> keys) {
  for (YamlEntry& entry : lower.entries) {
    if (YamlEntry* over = entry_of(upper, entry.key)) {
      join_value(over->value, std::move(entry.value), find_key(keys, entry.key));
    } else {
      upper.entries.push_back(std::move(entry));
    }
  }
}

// Removes the keys of the short form (those of a group) from `map` and returns them.
YamlNode take_short_form(YamlNode& map) {
  YamlNode group;
  group.kind = Kind::map;
  group.where = map.where;
  const auto middle = std::stable_partition(map.entries.begin(), map.entries.end(),
                                            [](const YamlEntry& entry) { return !is_short_form(entry.key); });
  group.entries.assign(std::make_move_iterator(middle), std::make_move_iterator(map.entries.end()));
  map.entries.erase(middle, map.entries.end());
  return group;
}

bool is_list_of_maps(const YamlNode& node) {
  return node.kind == Kind::sequence &&
         std::all_of(node.items.begin(), node.items.end(), [](const YamlNode& item) { return item.kind == Kind::map; });
}

std::string group_name(YamlNode& group) {
  const YamlEntry* name = entry_of(group, "name");
  return name == nullptr ? "" : name->value.text;
}

void join_groups(YamlNode& upper, YamlNode lower) {
  const bool only = upper.items.size() == 1 && lower.items.size() == 1;
  for (YamlNode& group : lower.items) {
    const auto same = std::find_if(upper.items.begin(), upper.items.end(), [&](YamlNode& over) {
      return group_name(over) == group_name(group) || (only && group_name(over).empty());
    });
    if (same == upper.items.end()) {
      upper.items.push_back(std::move(group));
    } else {
      lay_under(*same, std::move(group), group_keys());
    }
  }
}

// The template has groups and the job uses the short form, which then applies to the only group of the template.
void spread_short_form(YamlNode& upper, YamlNode& lower_groups, DiagnosticSink& sink) {
  if (lower_groups.items.size() == 1) {
    YamlNode group = take_short_form(upper);
    if (group.entries.empty()) return;
    lay_under(group, std::move(lower_groups.items.front()), group_keys());
    lower_groups.items.front() = std::move(group);
    return;
  }
  for (const YamlEntry& entry : take_short_form(upper).entries) {
    Diagnostic unclear;
    unclear.code = "E1303";
    unclear.where = entry.key_where;
    unclear.message = "`" + entry.key + "` does not say which group of the runtime it belongs to";
    unclear.label = "the runtime's groups are in " + lower_groups.where.file;
    unclear.help =
        "name the group: groups: [{name: " + group_name(lower_groups.items.front()) + ", " + entry.key + ": …}]";
    sink.add(std::move(unclear));
  }
}

void join_forms(YamlNode& upper, YamlNode& lower, DiagnosticSink& sink) {
  YamlEntry* ours = entry_of(upper, "groups");
  YamlEntry* theirs = entry_of(lower, "groups");
  const bool we = ours != nullptr && is_list_of_maps(ours->value);
  const bool they = theirs != nullptr && is_list_of_maps(theirs->value) && !theirs->value.items.empty();
  if (we && they) {
    join_groups(ours->value, std::move(theirs->value));
  } else if (we) {
    const YamlNode base = take_short_form(lower);
    for (YamlNode& group : ours->value.items) lay_under(group, base, group_keys());
  } else if (they) {
    spread_short_form(upper, theirs->value, sink);
  }
}

// Reports keys that a template cannot have, and removes those that are not for the job, such as `description`.
void check_template(YamlNode& map, DiagnosticSink& sink) {
  for (const YamlEntry& entry : map.entries) {
    if (entry.key != "name" && entry.key != "tty") continue;
    Diagnostic own;
    own.code = "E1203";
    own.where = entry.key_where;
    own.message = "`" + entry.key + "` belongs in a job file, not in a runtime";
    own.help = "a runtime takes all keys of a job file except name and tty, and also `description`";
    sink.add(std::move(own));
  }
  std::erase_if(map.entries, [](const YamlEntry& entry) {
    return entry.key == "name" || entry.key == "tty" || entry.key == "description" || entry.key == "runtime";
  });
}

}  // namespace

YamlNode over_templates(YamlNode job, std::vector<YamlNode> templates, DiagnosticSink& sink) {
  for (YamlNode& each : templates) {
    check_template(each, sink);
    join_forms(job, each, sink);
    lay_under(job, std::move(each), job_keys());
  }
  return job;
}

}  // namespace muster
