// AgentOutput: what an agent does about the output of its ranks: it holds the files to their limit (OutputRetention), counts what was
// dropped, and sends them where the coordinator cannot read them (HostOutput). Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/agent/host_output.h"
#include "core/output/output_retention.h"

namespace muster {

class AgentOutput {
 public:
  // `changed`: a report would differ.
  AgentOutput(HostOutputPorts ports, std::function<void()> changed) : ports_(ports), changed_(std::move(changed)) {}

  void bind(const Bind& bind, ChannelToCoordinator* channel);
  // Null: the link is lost.
  void connect(ChannelToCoordinator* channel);
  void heard(const OutputTaken& taken);

  // The task and the tasks with the paths that their output has here. An attempt's ranks run from here on.
  SetupTask begin_setup(SetupTask task);
  std::vector<RankTask> begin(Attempt attempt, std::vector<RankTask> tasks);

  // Once a second, and once more when the ranks have ended. The newest trouble: of the output, else `trouble`.
  std::string enforce(std::string trouble);
  // Once a second.
  void beat();

  // Adds what was dropped, and what is left to be sent.
  void tell(Report& report);

  // Whether what is left is still being sent while the agent leaves.
  bool holds_up_leaving();
  // Removes what was handed over.
  void clear();

 private:
  HostOutputPorts ports_;
  const std::function<void()> changed_;
  uint64_t max_bytes_ = 0;
  ChannelToCoordinator* channel_ = nullptr;
  std::unique_ptr<OutputRetention> retention_;
  std::unique_ptr<HostOutput> host_output_;  // where the coordinator cannot read it
  std::map<uint32_t, uint64_t> dropped_;     // bytes of the attempt, by rank
};

}  // namespace muster
