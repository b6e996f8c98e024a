// SPDX-License-Identifier: Apache-2.0
// Roster: the ranks of a communicator, and their names in messages. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::worker {

struct Roster {
  std::string name;               // given by the user: "world"
  std::string prefix;             // of its keys in the store; unique in the attempt
  std::vector<uint32_t> members;  // ranks of the world, in order of rank in the communicator
  uint32_t rank = 0;              // this rank's number in the communicator

  uint32_t size() const { return static_cast<uint32_t>(members.size()); }
  // "rank 5", the number that `muster ps` shows; "rank 5 (1 of `row`)" if its number in the communicator differs.
  std::string name_of(uint32_t rank) const;
  // "rank 0", "ranks 0, 2 and 3", "ranks 0, 1, 2, 3 and 60 more".
  std::string names_of(const std::vector<uint32_t>& ranks) const;
  std::vector<std::string> names() const;
  // The members in the order that Meeting::fence() requires.
  std::vector<uint32_t> sorted() const;
  // Reorders the `values` of a fence of sorted() by rank in the communicator.
  std::vector<std::string> by_rank(const std::vector<std::string>& values) const;
};

}  // namespace muster::worker
