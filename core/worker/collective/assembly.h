// Assembly: how ranks of a communicator and ranks that join it meet in the store (Communicator::grow()).
//
// Each rank reads the claim of the first of its members, writes its own, and waits for the verdict; the first reads all
// claims and writes the verdict. If lists of members differ, each rank meets one that differs from its own: that of its
// first member, that of a rank it judges, or the verdict. Keys of claims are removed once all have read them, so that a
// name can be grown again. If ranks disagreed they stay, since nobody knows who will still read them. Verdicts are numbered
// by the rank that writes them.
#pragma once

#include <string>

#include "core/worker/collective/membership.h"
#include "core/worker/meeting.h"

namespace muster::worker {

class Assembly {
 public:
  // `mine` names the members, this rank among them. `meeting` and `name` outlive the assembly.
  Assembly(Meeting& meeting, const std::string& name, Claim mine, Duration timeout);

  // The parent's claim, the same on every member; its number is that of the growth.
  Result<Claim> meet() { return meeting_.rank() == first_ ? judge_all() : follow(); }
  // Of the grown communicator's keys.
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
