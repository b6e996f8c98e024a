// OutputIntake: what ranks print, as far as the coordinator is concerned with it. Where nodes do not write into our files
// (Capabilities::shares_filesystem), it keeps what their agents send (output/output_mirror.h), and holds a node until all has come,
// or none has for a while. Loop thread only.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/output_remarks.h"
#include "core/output/output_mirror.h"

namespace muster {

class OutputIntake {
 public:
  explicit OutputIntake(const JobContext& context);

  // Whether agents send what ranks print.
  bool comes_here() const { return mirror_.has_value(); }
  // Where a rank's output goes, as its agent is told.
  std::string told_path(Attempt attempt, const PlannedRank& rank, OutputStream stream) const;

  // The node's agent has connected.
  void linked(NodeIndex node);
  void heard(NodeIndex node, const OutputBytes& bytes);
  // What people should know of the job's output.
  void remark_on(const Report& report);
  void beat();

  // True: the node stays, since some of its output has not come yet. It is released when that has.
  bool holds(NodeIndex node);
  // The node told anew what is left. `before`: what was.
  void note_left(NodeIndex node, uint64_t before);
  // The node's agent is gone: what it had not sent is not waited for.
  void lose(NodeIndex node, const std::string& why);
  // The job's files are about to be removed: nothing more is written.
  void forget();

  // What the attempt's ranks printed is in our files, as far as it will ever be. False for one that runs: more may come.
  bool has_all(const BegunAttempt& attempt) const;
  // The same of a job that is over.
  bool has_all() const { return pending_releases_.empty(); }
  // The node of such an agent that stays, of a job that is over.
  std::optional<NodeIndex> staying_node(Incarnation incarnation) const;

 private:
  // A node that is let go when its output is here.
  struct PendingRelease {
    Incarnation incarnation = 0;
    TimePoint since;  // some came
  };

  bool is_of(NodeIndex node, const OutputFile& file) const;
  std::string path(Attempt attempt, const PlannedRank& rank, OutputStream stream) const;

  const JobContext context_;
  OutputRemarks remarks_;
  std::optional<OutputMirror> mirror_;  // where nodes do not write into our files
  std::map<NodeIndex, PendingRelease> pending_releases_;
};

}  // namespace muster
