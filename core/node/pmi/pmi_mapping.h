// SPDX-License-Identifier: Apache-2.0
// The value of PMI_process_mapping, by which MPICH learns which ranks share a node. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

// "(vector,(0,2,4))": from node 0, 2 nodes with 4 ranks each, in the order of the ranks. Blocks are repeated until all ranks have a node.
// `nodes`: the node of each rank of the world. Empty: the text would be longer than a value may be.
std::string pmi_process_mapping(const std::vector<uint32_t>& nodes);

}  // namespace muster
