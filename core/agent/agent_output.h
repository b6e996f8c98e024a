// SPDX-License-Identifier: Apache-2.0
// AgentOutput: handles the output files of an agent's ranks. It limits their size (OutputRetention), counts dropped bytes,
// records the order of both streams (OrderRecorder), and sends the output if the coordinator cannot read the files (HostOutput). Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/agent/host_output.h"
#include "core/output/order_recorder.h"
#include "core/output/output_retention.h"

namespace muster {

class AgentOutput {
 public:
  // `host`: this host's name, for sentences. `changed`: a report would differ.
  AgentOutput(HostOutputPorts ports, std::string host, std::function<void()> changed);

  void bind(const Bind& bind, ChannelToCoordinator* channel);
  // Null: the link is lost.
  void connect(ChannelToCoordinator* channel);
  void heard(const OutputTaken& taken);

  // Creates the output files of an attempt. False: that is not possible now, for example on a full disk, and tell() says
  // why. The attempt must not begin yet; call it again with the next heartbeat. Returns true again after kOutputPatience.
  bool prepare(const DesiredState& desired);
  // Why the prepared attempt must fail: its output files could not be created in that time. Empty: they were.
  const std::string& refusal() const { return refusal_; }

  // Return the tasks with the paths of their output on this node. Call begin() when the ranks of an attempt start.
  SetupTask begin_setup(SetupTask task);
  std::vector<RankTask> begin(Attempt attempt, std::vector<RankTask> tasks);

  // The newest problem with the output of the attempt's ranks; empty: it is over.
  void note(const std::string& trouble) { noted_ = trouble; }

  // Applies the size limit. Call it once a second, and once more when the ranks have ended. Returns the newest problem with
  // the output, or `trouble` if there is none.
  std::string enforce(std::string trouble);
  // Call it once a second.
  void beat();

  // Adds the dropped bytes, the bytes that are still to be sent, and the newest problem.
  void tell(Report& report);

  // Whether the agent must not exit yet, because output is still being sent.
  bool holds_up_leaving();
  // Removes the files whose output the coordinator has.
  void clear();

 private:
  Status create(const RankTask& task, Attempt attempt) const;

  HostOutputPorts ports_;
  const std::string host_;
  const std::function<void()> changed_;
  uint64_t max_bytes_ = 0;
  ChannelToCoordinator* channel_ = nullptr;
  std::unique_ptr<OutputRetention> retention_;
  OrderRecorder order_;
  std::unique_ptr<HostOutput> host_output_;  // set if the coordinator cannot read the files
  std::map<uint32_t, uint64_t> dropped_;     // dropped bytes of the attempt, by rank
  Attempt prepared_ = 0;                     // the attempt whose files are created
  TimePoint prepared_since_;
  std::string waits_;  // why that attempt has not begun; empty: it does not wait
  std::string refusal_;
  std::string noted_;  // see note()
};

}  // namespace muster
