// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/yaml_tree.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxAliases = 64;

size_t depth_of(const YamlNode& node) {
  size_t below = 0;
  for (const YamlNode& item : node.items) below = std::max(below, depth_of(item));
  for (const YamlEntry& entry : node.entries) below = std::max(below, depth_of(entry.value));
  return below + 1;
}

struct Extent {
  size_t values = 0;
  size_t bytes = 0;
};

Extent extent_of(const YamlNode& node) {
  Extent sum{1, node.text.size()};
  const auto add = [&sum](const YamlNode& child, size_t key_bytes) {
    const Extent extent = extent_of(child);
    sum.values += extent.values;
    sum.bytes += extent.bytes + key_bytes;
  };
  for (const YamlNode& item : node.items) add(item, 0);
  for (const YamlEntry& entry : node.entries) add(entry.value, entry.key.size());
  return sum;
}

// YAML 1.1's merge key `<<`: keys of the map itself override those of `source`. In a list of sources, earlier ones
// override later ones.
void merge_into(YamlNode& map, std::set<std::string>& keys, const YamlNode& source) {
  for (const YamlEntry& entry : source.entries) {
    if (!keys.insert(entry.key).second) continue;
    map.entries.push_back(entry);
  }
}

void do_merges(YamlNode& map) {
  std::vector<YamlNode> sources;
  std::erase_if(map.entries, [&](YamlEntry& entry) {
    const bool is_map = entry.value.kind == YamlNode::Kind::map;
    const bool is_list = entry.value.kind == YamlNode::Kind::sequence &&
                         std::all_of(entry.value.items.begin(), entry.value.items.end(),
                                     [](const YamlNode& item) { return item.kind == YamlNode::Kind::map; });
    if (entry.key_quoted || entry.key != "<<" || !(is_map || is_list)) return false;
    if (is_map) sources.push_back(std::move(entry.value));
    for (YamlNode& item : entry.value.items) sources.push_back(std::move(item));
    return true;
  });
  if (sources.empty()) return;
  std::set<std::string> keys;
  for (const YamlEntry& entry : map.entries) keys.insert(entry.key);
  for (const YamlNode& source : sources) merge_into(map, keys, source);
}

}  // namespace

void YamlTree::refuse(const char* code, SourceRange where, std::string message, std::string help) {
  if (problem_) return;
  problem_ = Diagnostic{Severity::error, code, std::move(where), std::move(message), {}, std::move(help), {}};
}

bool YamlTree::charge(const YamlNode& node) {
  const Extent extent = extent_of(node);
  values_ += extent.values;
  bytes_ += extent.bytes;
  if (values_ > limits_.values || bytes_ > limits_.bytes) {
    refuse("E1008", node.where, "the file contains too many values, including those that aliases repeat",
           "a job file can have " + std::to_string(limits_.values) + " values and " + humane_size(limits_.bytes));
  }
  return !problem_;
}

void YamlTree::scalar(YamlNode node, Anchor anchor) {
  if (problem_ || !charge(node)) return;
  remember(node, anchor);
  place(std::move(node));
}

void YamlTree::open(YamlNode node, Anchor anchor) {
  if (problem_ || !charge(node)) return;
  if (open_.size() == kMaxDepth) {
    refuse("E1004", node.where, "this is nested more than 32 levels deep", "a job file needs about five");
    return;
  }
  open_.push_back(Open{std::move(node), anchor, std::nullopt});
}

void YamlTree::close() {
  if (problem_ || open_.empty()) return;
  Open done = std::move(open_.back());
  open_.pop_back();
  if (done.node.kind == YamlNode::Kind::map) do_merges(done.node);
  remember(done.node, done.anchor);
  place(std::move(done.node));
}

void YamlTree::alias(SourceRange where, Anchor anchor) {
  if (problem_) return;
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end())
    return refuse("E1005", std::move(where), "this alias is inside the value that it refers to", "");
  if (++aliases_ > kMaxAliases) return refuse("E1005", std::move(where), "the file has more than 64 aliases", "");
  if (open_.size() + found->second.depth > kMaxDepth) {
    return refuse("E1004", std::move(where), "with this alias the file is nested more than 32 levels deep", "");
  }
  if (charge(found->second.node)) place(found->second.node);
}

void YamlTree::remember(const YamlNode& node, Anchor anchor) {
  if (anchor == 0 || problem_ || !charge(node)) return;
  anchors_[anchor] = Anchored{node, depth_of(node)};
}

void YamlTree::place(YamlNode node) {
  if (problem_) return;
  if (open_.empty()) {
    root_ = std::move(node);
  } else if (open_.back().node.kind == YamlNode::Kind::map) {
    place_in_map(open_.back(), std::move(node));
  } else {
    open_.back().node.items.push_back(std::move(node));
  }
}

void YamlTree::place_in_map(Open& map, YamlNode node) {
  if (!map.pending) return take_key(map, std::move(node));
  // The parser places a missing value at the next token, possibly lines below. Messages place it at its key.
  if (node.kind == YamlNode::Kind::null && node.text.empty()) node.where = map.pending->key_where;
  map.pending->value = std::move(node);
  map.node.entries.push_back(std::move(*map.pending));
  map.pending.reset();
}

void YamlTree::take_key(Open& map, YamlNode node) {
  const bool plain = node.kind == YamlNode::Kind::scalar || node.kind == YamlNode::Kind::null;
  if (!plain)
    return refuse("E1001", node.where, "a key must be a word, not a list or a map",
                  "quote a text that begins with a brace or bracket");
  map.pending = YamlEntry{std::move(node.text), std::move(node.where), {}, node.quoted};
}

}  // namespace muster
