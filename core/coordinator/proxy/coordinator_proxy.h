// SPDX-License-Identifier: Apache-2.0
// CoordinatorProxy: represents the coordinator on another host that the user started by hand (`muster torchrun`).
//
// - It offers its host to the coordinator. Once bound, it places the host's one agent.
// - It gives the agent the command, environment and folder of its own host, not the coordinator's.
// - It passes messages between agent and coordinator.
// - It keeps a copy of the job's journal, so that commands on this host can answer questions about the job.
//
// It makes one decision of its own: if no message comes from the coordinator for kCoordinatorTimeout, it ends its ranks, since
// the coordinator is about to run them on another host. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/attempt/assignment.h"
#include "core/base/log.h"
#include "core/journal/job_fold.h"
#include "core/port/agent_channel.h"
#include "core/port/agent_placement.h"
#include "core/port/job_store.h"
#include "core/port/loop.h"
#include "core/port/output_files.h"

namespace muster {

struct CoordinatorProxyPorts {
  Loop& loop;
  AgentPlacement& placement;  // of this machine
  JobStore& store;
  OutputFiles& output;
  CoordinatorDialer& dialer;
  Log& log;
};

// This host: its offer, its identity and the job as it starts here.
struct CoordinatorProxySelf {
  HostOffer offer;
  std::string host;
  std::string binary_hash;
  Incarnation incarnation = 0;
  JobId job;  // of the copy; not the coordinator's id, since two hosts may share their state folder
  JobSpec spec;
  JobSecrets secrets;
  Plan here;             // of this machine alone
  std::string endpoint;  // "10.0.0.1:29400", for messages
  Duration patience{0};  // longest time until the job has started
};

class CoordinatorProxy {
 public:
  struct Handlers {
    // Called once: the job has started here and its copy can be followed, or why it will not start.
    std::function<void(const Status&)> joined;
    // Called at most once, after a successful `joined`: the job continues without this host, or has lost its coordinator.
    std::function<void(const Status&)> lost;
    // Messages for the user while the host waits.
    std::function<void(const std::string&)> remark;
  };
  CoordinatorProxy(CoordinatorProxyPorts ports, CoordinatorProxySelf self, Handlers handlers);
  ~CoordinatorProxy();

  void start();
  // Asks the coordinator to stop the whole job.
  Status stop(int signal, Duration grace);
  // The user cancels before the job has started here.
  void leave(const std::string& why);

  const JobId& job() const { return self_.job; }
  NodeIndex node() const { return bind_ ? bind_->node : 0; }  // of the job, once joined

 private:
  void dial();
  void dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel);
  void uplink_closed(const Status& status);
  void dial_again(const Status& why);
  Hello hello() const;
  void heard(const CoordinatorMessage& message);
  void obey(const Bind& bind);
  void obey(const DesiredState& desired);
  void obey(const JournalCopy& copy);
  void obey(const Dismiss& dismiss);
  void pass_on(const CoordinatorMessage& message);
  void placed(Result<PlacedAgent> agent);
  void agent_said(const AgentMessage& message);
  void refuse(const ExecFrame& frame);
  Bind localized_bind(Bind bind) const;
  std::optional<DesiredState> localized_state(DesiredState desired);
  AttemptPlace attempt_place() const;
  Status keep(const std::string& line);
  Status keep_submission(TimePoint at, const Submission& shared);
  void keep_record();
  void look();
  void give_up(const Status& why);
  void begun();

  CoordinatorProxyPorts ports_;
  CoordinatorProxySelf self_;
  Handlers handlers_;
  std::unique_ptr<ChannelToCoordinator> uplink_;
  std::unique_ptr<ChannelToAgent> agent_;
  std::optional<Bind> bind_;  // as received
  std::optional<JobFold> fold_;
  std::optional<DesiredState> waiting_;  // for the agent
  std::optional<DesiredState> stop_;     // the newest, until another desired state comes
  Report report_;
  TimePoint began_;
  TimePoint heard_;
  Duration redial_{0};
  uint32_t strangers_ = 0;  // times in a row that something other than muster answered
  bool remarked_ = false;
  bool over_ = false;
  TimerId redial_timer_ = 0;
  TimerId look_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
