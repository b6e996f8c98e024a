// SPDX-License-Identifier: Apache-2.0
// Messages between an agent and its PMIx helper: a length (4 bytes, little-endian), then fields, each with a length of its own. The
// first field names the message. Pure.
//
// Agent → helper:
//   start NAMESPACE FOLDER NODE CANDIDATES NAMES RANKS APPS   lists: libraries to try, the nodes' names, "0,1" of each node, the numbers
//                                                             of their programs, which may be empty
//   answer ID STATUS VALUE…                              STATUS: empty, or why the call failed
// Helper → agent:
//   ready VERSION VARIABLES…     of each rank of the node, a list of NAME=VALUE
//   failed WHY
//   connected RANK · finalized RANK
//   aborted RANK CODE
//   refused RANK CALL           a call that muster does not support
//   ask ID KIND KEY VALUE RANKS  a call of the rendezvous: set, wait or fence
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster {

using PmixFields = std::vector<std::string>;

// The encoded message. A list is one field that holds encoded fields: pmix_list() and pmix_items().
std::string pmix_message(const PmixFields& fields);
std::string pmix_list(const PmixFields& items);
PmixFields pmix_items(const std::string& list);

// Removes the first complete message from `received`; nullopt: none is complete yet.
std::optional<PmixFields> take_pmix_message(std::string& received);

// "0,1,5"; a text that is not a number ends the list.
std::string pmix_numbers(const std::vector<uint32_t>& numbers);
std::vector<uint32_t> numbers_in(const std::string& text);

// The name of a set of ranks in a key: the same in whatever order they are given.
std::string pmix_group(std::vector<uint32_t> ranks);

}  // namespace muster
