// SPDX-License-Identifier: Apache-2.0
// JournalCopies: sends copies of the job's journal. Loop thread only.
//
// - Coordinator proxies get each line as it is written, for the commands of users on their hosts.
// - Some agents get packed parts of it with their desired states, for a coordinator without a store
//   (Capabilities::agents_keep_journal).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/coordinator/coordinator_core.h"
#include "core/journal/kept_journal.h"

namespace muster {

class JournalCopies {
 public:
  explicit JournalCopies(const JobContext& context) : context_(context) {}

  // Call it for each entry, in their order.
  void written(TimePoint at, const JournalEntry& entry);
  // The node's agent has connected; it keeps `snapshot`.
  void connected(NodeIndex node, const std::string& snapshot);
  // The node has a coordinator proxy, which has the lines before `from`.
  void copy_to_proxy(NodeIndex node, uint64_t from);
  // Sends an empty copy to coordinator proxies, as a heartbeat.
  void speak();
  // Adds to a desired state the part of the journal on which it depends.
  void add_to(NodeIndex node, DesiredState& desired);

 private:
  bool have_kept_journal();

  const JobContext context_;
  std::optional<KeptJournal> kept_;    // set at the first desired state, if agents keep the journal
  std::map<NodeIndex, size_t> keeps_;  // bytes of it that each agent keeps
  std::set<NodeIndex> proxies_;        // nodes that ever had a coordinator proxy
};

}  // namespace muster
