// SPDX-License-Identifier: Apache-2.0
// Membership: the claims of ranks when a communicator is grown, and the verdict about them. Pure.
//
// Ranks of the parent and ranks that join share only the name and the list of members, so the keys at which they meet are
// derived from these (assembly.h). Every rank writes a claim; the first of the members judges all claims.
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
  uint64_t number = 0;  // 1-based number of this rank's growth of this name; the first member's names the verdict
  std::vector<uint32_t> members;  // ranks of the world, sorted
  std::string wrong;              // why this rank cannot take part; empty: it can
  // The rest is set by ranks that pass a parent and empty for ranks that join.
  std::string prefix;            // of the parent's keys; unique
  std::string name;              // the parent's name
  std::vector<uint32_t> parent;  // the parent's members, in order of rank
  Backend backend = Backend::automatic;
  Duration timeout = Duration::zero();
};

std::string encode(const Claim& claim);
// data_loss: encode() did not write it.
Result<Claim> decode_claim(std::string_view text);

// The claim of the parent's first rank, or an error that names the ranks that disagree. `claims`, by rank of the world:
// those of all members.
Result<Claim> judge(const std::string& name, const std::map<uint32_t, Claim>& claims);
// Ok if two ranks pass the same members.
Status same_members(const std::string& name, uint32_t one, const Claim& its, uint32_t other, const Claim& others);

// The members in order of rank of the grown communicator: those of the parent in their order, then those that join, by rank
// of the world.
std::vector<uint32_t> grown(const Claim& parent);

// "rank 3", "ranks 0, 2 and 3" (ranks of the world).
std::string ranks_text(const std::vector<uint32_t>& ranks);

}  // namespace muster::worker
