// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmi/pmi_mapping.h"

#include <algorithm>

#include "core/node/pmi/pmi_world.h"

namespace muster {
namespace {

struct Block {
  uint32_t node = 0;   // the first node
  uint32_t nodes = 0;  // neighbours
  uint32_t ranks = 0;  // on each
  bool operator==(const Block&) const = default;
};

std::vector<Block> blocks_of(const std::vector<uint32_t>& nodes) {
  std::vector<Block> blocks;
  for (size_t at = 0; at < nodes.size();) {
    size_t end = at;
    while (end < nodes.size() && nodes[end] == nodes[at]) ++end;
    const auto ranks = static_cast<uint32_t>(end - at);
    const bool next =
        !blocks.empty() && blocks.back().node + blocks.back().nodes == nodes[at] && blocks.back().ranks == ranks;
    if (next) {
      ++blocks.back().nodes;
    } else {
      blocks.push_back({nodes[at], 1, ranks});
    }
    at = end;
  }
  return blocks;
}

}  // namespace

std::string pmi_process_mapping(const std::vector<uint32_t>& nodes) {
  std::vector<Block> blocks = blocks_of(nodes);
  // Ranks that are numbered over the nodes in turn are equal blocks: one of them is repeated by the reader.
  const bool equal =
      std::all_of(blocks.begin(), blocks.end(), [&](const Block& each) { return each == blocks.front(); });
  if (equal && !blocks.empty()) blocks.resize(1);
  std::string text = "(vector";
  for (const Block& block : blocks) {
    text +=
        ",(" + std::to_string(block.node) + "," + std::to_string(block.nodes) + "," + std::to_string(block.ranks) + ")";
    if (text.size() >= kPmiValueMost) return "";
  }
  return text + ")";
}

}  // namespace muster
