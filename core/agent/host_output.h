// SPDX-License-Identifier: Apache-2.0
// HostOutput: sends the output of an agent's ranks to a coordinator that cannot read the files (Bind::sends_output). It
// chooses the paths on this host, sends what is written, reports a rank's end after the rank's last output, and removes the
// files that the coordinator has received completely.
//
// Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/output/output_retention.h"
#include "core/output/output_uploader.h"
#include "core/port/agent_channel.h"
#include "core/port/loop.h"
#include "core/port/output_keeper.h"
#include "core/port/setup_messages.h"

namespace muster {

struct HostOutputPorts {
  Loop& loop;
  OutputFiles& files;
  OutputKeeper& keeper;
};

class HostOutput {
 public:
  // `changed`: a report would differ.
  HostOutput(HostOutputPorts ports, const JobId& job, std::function<void()> changed);
  ~HostOutput();

  // The task with the paths of its output on this host.
  RankTask placed(Attempt attempt, RankTask task) const;
  // Returns the tasks of a new attempt with the paths of their output on this host.
  std::vector<RankTask> begin(Attempt attempt, std::vector<RankTask> tasks);
  // The same for the setup before the first attempt.
  SetupTask begin_setup(SetupTask task);
  // Call it after Hello was sent. Null: the link is lost.
  void connect(ChannelToCoordinator* channel);
  void heard(const OutputTaken& taken);
  void dropped(const DroppedOutput& dropped);
  // The order file of a rank of the attempt has grown, and begins at `kept`.
  void order_grew(uint32_t index, const std::string& path, uint64_t kept);
  // Call it once a second.
  void beat();
  // Adds the number of bytes that are still to be sent. A rank that has ended is reported as running for at most 2 s, until
  // its last output is sent.
  void tell(Report& report);

  // All output is sent, or sending was given up and the rest stays on this host.
  bool over() const { return gave_up_ || uploader_.left().bytes == 0; }
  // The agent is about to exit: from the first call on, sending is given up after 30 s without progress.
  void hurry();
  // A problem that the user should see; empty: none.
  const std::string& trouble() const { return trouble_; }
  // Removes the files that the coordinator has received completely.
  void clear();

 private:
  void place(RankTask& task);
  void find_left_behind(const RankTask& task);
  void look(const std::vector<std::string>& paths);
  void pump_soon();
  void pump();
  bool holds_end(const RankReport& rank, uint64_t left);
  RankPhase reported(uint32_t index) const;
  void remove_before(Attempt attempt);

  HostOutputPorts ports_;
  const JobId job_;
  const std::function<void()> changed_;
  ChannelToCoordinator* channel_ = nullptr;
  OutputUploader uploader_;
  Attempt attempt_ = 0;
  bool begun_ = false;
  std::string folder_;  // of the newest attempt
  std::unique_ptr<OutputWatch> watch_;
  std::map<uint32_t, RankPhase> reported_;  // of the attempt, by rank
  std::map<uint32_t, TimePoint> ended_;     // ranks whose end is reported later, and when they ended
  TimerId pump_timer_ = 0;
  TimePoint pumped_;
  bool hurries_ = false;
  bool gave_up_ = false;
  uint64_t acknowledged_ = 0;
  TimePoint progressed_;
  std::string trouble_;
};

}  // namespace muster
