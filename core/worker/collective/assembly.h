// SPDX-License-Identifier: Apache-2.0
// Assembly: lets the ranks of a communicator and the ranks that join it agree over the store (Communicator::grow()).
//
// Each rank reads the claim of the first of its members, writes its own claim, and waits for the verdict. The first member
// reads all claims and writes the verdict. If the ranks pass different members, each rank finds a claim that differs from
// its own: that of its first member, that of a rank it judges, or the verdict. After success the keys of the claims are
// removed, so that the name can be used again. After a disagreement they stay, because other ranks may still read them.
// The rank that writes a verdict numbers it.
#pragma once

#include <string>

#include "core/worker/collective/membership.h"
#include "core/worker/meeting.h"

namespace muster::worker {

class Assembly {
 public:
  // `mine` contains the members, with this rank. `meeting` and `name` must outlive the assembly.
  Assembly(Meeting& meeting, const std::string& name, Claim mine, Duration timeout);

  // Blocks; returns the parent's claim, the same on every member, with the number of this growth.
  Result<Claim> meet() { return meeting_.rank() == first_ ? judge_all() : follow(); }
  // The prefix of the grown communicator's keys.
  std::string prefix(uint64_t number) const;

 private:
  std::string path() const { return "communicator/" + name_ + "/grow"; }
  std::string key(uint32_t rank) const { return path() + "/claim/" + std::to_string(rank); }
  std::string verdict(uint64_t number) const { return prefix(number) + "/verdict"; }

  Result<Claim> judge_all();
  Result<Claim> follow();
  Result<Claim> read(uint32_t member);
  Status unmet(const Status& why);

  Meeting& meeting_;
  const std::string& name_;
  const Claim mine_;
  const Duration timeout_;
  const uint32_t first_;
};

}  // namespace muster::worker
