// JournalCopies: the job's journal as others keep it: coordinator proxies each line as it is written, for people on their hosts; some agents
// packed parts of it with their desired states, for a coordinator that has no store (Capabilities::agents_keep_journal). Loop thread only.
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

  // Each entry, in its order.
  void written(TimePoint at, const JournalEntry& entry);
  // The node's agent has connected, which keeps `snapshot`.
  void connected(NodeIndex node, const std::string& snapshot);
  // It is a coordinator proxy, which has the lines before `from`.
  void copy_to_proxy(NodeIndex node, uint64_t from);
  // Tells coordinator proxies that we are here.
  void speak();
  // With what is wished goes what it stands on.
  void add_to(NodeIndex node, DesiredState& desired);

 private:
  bool have_kept_journal();

  const JobContext context_;
  std::optional<KeptJournal> kept_;    // where agents keep it, once one was wished something
  std::map<NodeIndex, size_t> keeps_;  // bytes of it
  std::set<NodeIndex> deputies_;       // that ever were
};

}  // namespace muster
