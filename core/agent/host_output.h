// HostOutput: what an agent does about its ranks' output where its coordinator cannot read the files (Bind::sends_output): it
// says where they lie here, sends what is written, has a rank's end told behind its last words, and removes what was handed over.
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

  // The tasks of a new attempt, with the paths that they have here.
  std::vector<RankTask> begin(Attempt attempt, std::vector<RankTask> tasks);
  // What is done before the first: with the path that its output has here.
  SetupTask begin_setup(SetupTask task);
  // After the hello was sent. Null: the link is lost.
  void connect(ChannelToCoordinator* channel);
  void heard(const OutputTaken& taken);
  void dropped(const DroppedOutput& dropped);
  // Once a second.
  void beat();
  // Adds what is left here. A rank that has ended still runs, for a moment, while its last words are under way.
  void tell(Report& report);

  // Nothing is left, or nothing was taken for so long that it stays here.
  bool over() const { return gave_up_ || uploader_.left().bytes == 0; }
  // From the first call on: who leaves waits for it, but not for ever.
  void hurry();
  // What people should know of; empty: nothing.
  const std::string& trouble() const { return trouble_; }
  // Removes what was handed over.
  void clear();

 private:
  void place(RankTask& task);
  void find_left_behind(const RankTask& task);
  void look(const std::set<std::string>& paths);
  void pump_soon();
  void pump();
  bool holds_end(const RankReport& rank, uint64_t left);
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
  std::map<uint32_t, RankPhase> told_;   // of the attempt, by rank
  std::map<uint32_t, TimePoint> ended_;  // who is held, since when
  TimerId pump_timer_ = 0;
  TimePoint pumped_;
  bool hurries_ = false;
  bool gave_up_ = false;
  uint64_t acknowledged_ = 0;
  TimePoint progressed_;
  std::string trouble_;
};

}  // namespace muster
