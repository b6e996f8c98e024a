// Communicator: a set of ranks that compute together, over Gloo or NCCL. What each call does is said in muster.h.
//
// Calls of one communicator are made one at a time (another thread's waits), in one order on all its ranks; a send is
// done when its receiver has taken it. What fails, fails on every rank: by what broke the attempt, by ranks that
// disagree, or by the deadline (a rank whose part in a broadcast was done by then: in its next call); afterwards every
// call fails with the same sentence. The meeting must outlive the communicator. Any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/worker/collective/carrier.h"
#include "core/worker/collective/communicator_options.h"
#include "core/worker/collective/opening.h"
#include "core/worker/collective/roster.h"
#include "core/worker/meeting.h"

namespace muster::worker {

class Communicator {
 public:
  using Opened = Result<std::unique_ptr<Communicator>>;

  // Every rank of the world calls it. Fails on all or on none, but for what is no argument at all.
  static Opened open(Meeting& meeting, const CommunicatorOptions& options);
  // Every rank of this communicator calls it. Null: the color is negative.
  Opened split(int32_t color, int32_t key, const std::string& name);
  // Every rank of this communicator but those of `gone` (sorted) calls it; this one may have failed.
  Opened shrink(const std::vector<uint32_t>& gone, const std::string& name);
  // Every rank of `members` (of the world, sorted) calls it: those of `parent`, all of which are members, with it,
  // those who join with null. The parent must have nothing under way and lives on. Ranks that disagree are named on all
  // of them. A name is for one set of members: ranks of another, and those who try again after a failure, would meet
  // the wrong ones under it.
  static Opened grow(Meeting& meeting, Communicator* parent, const std::vector<uint32_t>& members,
                     const std::string& name);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  uint32_t rank() const { return roster_.rank; }
  uint32_t size() const { return roster_.size(); }
  Backend backend() const { return carrier_.backend(); }
  const std::string& name() const { return roster_.name; }

  Status all_reduce(const void* in, void* out, size_t count, Type type, Reduce reduce);
  Status reduce_scatter(const void* in, void* out, size_t count, Type type, Reduce reduce);
  Status all_gather(const void* in, void* out, size_t count, Type type);
  Status broadcast(void* data, size_t count, Type type, uint32_t root);
  Status send(const void* data, size_t count, Type type, uint32_t to);
  Status receive(void* data, size_t count, Type type, uint32_t from);
  Status barrier();
  Status synchronize();

 private:
  Communicator(Meeting& meeting, Roster roster, const CommunicatorOptions& options);
  static Opened connected(Meeting& meeting, Roster roster, const CommunicatorOptions& options, const Origin& origin);
  Result<std::vector<std::pair<int32_t, int32_t>>> colors(int32_t color, int32_t key, const std::string& prefix);
  Opened without_color();
  Opened child(Roster roster, const std::string& name, const Origin& origin) const;
  std::string child_prefix(const std::string& what, const std::string& name);

  Meeting& meeting_;
  const Roster roster_;
  const CommunicatorOptions options_;
  Carrier carrier_;
  std::map<std::string, uint64_t> children_;  // how many of each name
};

}  // namespace muster::worker
