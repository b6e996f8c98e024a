// Roster: who a communicator's ranks are, and how sentences name them. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::worker {

struct Roster {
  std::string name;               // the user's: "world"
  std::string prefix;             // of its keys in the store; no other communicator of the attempt has it
  std::vector<uint32_t> members;  // rank of the world, by rank of the communicator
  uint32_t rank = 0;              // this one's, in the communicator

  uint32_t size() const { return static_cast<uint32_t>(members.size()); }
  // "rank 5", the number that `muster ps` shows; "rank 5 (1 of `row`)" where the communicator numbers it otherwise.
  std::string name_of(uint32_t rank) const;
  // "rank 0", "ranks 0, 2 and 3", "ranks 0, 1, 2, 3 and 60 more".
  std::string names_of(const std::vector<uint32_t>& ranks) const;
  std::vector<std::string> names() const;
  // The members in the order that Meeting::fence() wants, and each one's place in it.
  std::vector<uint32_t> sorted() const;
  // `values` of a fence among sorted(), by rank of the communicator.
  std::vector<std::string> by_rank(const std::vector<std::string>& values) const;
};

}  // namespace muster::worker
