// Membership: what each rank says when a communicator is grown, and what follows for all of them. Pure.
//
// Ranks of the parent and ranks that join have nothing in common but the name and the list of members, so they meet at
// keys that follow from those (assembly.h): every rank leaves its claim, the first of the members judges all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/worker/collective/call.h"

namespace muster::worker {

struct Claim {
  uint64_t number = 0;  // which of this rank's growths of this name it is; the first member's names the verdict
  std::vector<uint32_t> members;  // of the world, sorted
  std::string wrong;              // why this rank cannot take part; empty: it can
  // Of a rank that passes a communicator; of one that joins they are empty.
  std::string prefix;            // the parent's, which no other communicator has
  std::string name;              // the parent's
  std::vector<uint32_t> parent;  // its members, by its ranks
  Backend backend = Backend::automatic;
  Duration timeout = Duration::zero();
};

std::string encode(const Claim& claim);
// Fails with data_loss on what encode() did not write.
Result<Claim> decode_claim(std::string_view text);

// The claim of the parent's first rank, or who disagrees. `claims` by rank of the world: of all that any of the ranks
// judged so far takes for a member.
Result<Claim> judge(const std::string& name, const std::map<uint32_t, Claim>& claims);
// Whether two ranks take the same ranks for members.
Status same_members(const std::string& name, uint32_t one, const Claim& its, uint32_t other, const Claim& others);

// The members by rank of the grown communicator: the parent's as they were, then those who join, by rank of the world.
std::vector<uint32_t> grown(const Claim& parent);

// "rank 3", "ranks 0, 2 and 3"; of the world.
std::string ranks_text(const std::vector<uint32_t>& ranks);

}  // namespace muster::worker
