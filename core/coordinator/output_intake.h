// SPDX-License-Identifier: Apache-2.0
// OutputIntake: the coordinator's part in the output of ranks. If nodes do not write into our files
// (Capabilities::shares_filesystem is false), it stores what their agents send (output/output_mirror.h). It holds a node of an
// ended job until all output has arrived, or none has arrived for 35 s. Loop thread only.
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

  // Whether agents send the output of their ranks.
  bool comes_here() const { return mirror_.has_value(); }
  // The path of a rank's output, as its agent is told.
  std::string told_path(Attempt attempt, const PlannedRank& rank, OutputStream stream) const;

  // What the job waits for if the output of a node cannot be stored now: "its output files: …". Empty: it does not wait.
  std::string waits_for() const;

  // The node's agent has connected.
  void linked(NodeIndex node);
  void heard(NodeIndex node, const OutputBytes& bytes);
  // Adds notes to the journal about dropped output and problems in the report.
  void remark_on(const Report& report);
  void beat();

  // True: the node must not be released yet, since some of its output has not arrived. It is released when that has arrived.
  bool holds(NodeIndex node);
  // The node has reported how many bytes are still to be sent. `before`: the number in its previous report.
  void note_left(NodeIndex node, uint64_t before);
  // The node's agent has ended: stops waiting for its unsent output.
  void lose(NodeIndex node, const std::string& why);
  // The job's files are about to be removed: nothing more is written.
  void forget();

  // Whether the output of the attempt's ranks is in our files, as far as it will ever be. False while the attempt runs.
  bool has_all(const BegunAttempt& attempt) const;
  // The same for a job that has ended.
  bool has_all() const { return pending_releases_.empty(); }
  // The node that is held for this agent's output; empty: none.
  std::optional<NodeIndex> staying_node(Incarnation incarnation) const;

 private:
  // A node that is released when its output has arrived.
  struct PendingRelease {
    Incarnation incarnation = 0;
    TimePoint since;  // when the last output arrived
  };

  bool is_of(NodeIndex node, const OutputFile& file) const;
  std::string path(Attempt attempt, const PlannedRank& rank, OutputStream stream) const;

  const JobContext context_;
  OutputRemarks remarks_;
  std::optional<OutputMirror> mirror_;  // set if nodes do not write into our files
  std::map<NodeIndex, PendingRelease> pending_releases_;
};

}  // namespace muster
