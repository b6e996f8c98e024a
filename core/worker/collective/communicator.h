// SPDX-License-Identifier: Apache-2.0
// Communicator: a set of ranks that run collectives over Gloo or NCCL. muster.h documents the calls.
//
// A communicator makes one call at a time (calls of other threads wait), in the same order on all ranks. A send is done when
// its receiver has taken the data. A failure fails the call on every rank: the attempt ended, the ranks disagree, or the
// deadline has passed. (A rank that has finished its part of a broadcast fails in its next call.) Afterwards every call
// fails with the same message. The meeting must outlive the communicator. Any thread.
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

  // Every rank of the world calls it. It fails on all ranks or on none, except for invalid arguments.
  static Opened open(Meeting& meeting, const CommunicatorOptions& options);
  // Every rank of this communicator calls it. Null if the color is negative.
  Opened split(int32_t color, int32_t key, const std::string& name);
  // Every rank of this communicator except `gone` (sorted) calls it. This communicator may have failed.
  Opened shrink(const std::vector<uint32_t>& gone, const std::string& name);
  // Every rank of `members` (ranks of the world, sorted) calls it. Ranks of the parent, which all must be members, pass
  // `parent`; ranks that join pass null. The parent must have no operations in progress and stays open. If the ranks
  // disagree, the message names them on all ranks. Use a name for one set of members only, and a new name after a failure:
  // otherwise ranks of different calls could meet under it.
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
  std::map<std::string, uint64_t> children_;  // number of children by name
};

}  // namespace muster::worker
