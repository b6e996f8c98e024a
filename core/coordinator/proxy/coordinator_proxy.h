// CoordinatorProxy: stands for a coordinator on another host, on a host whose part of a job was typed there by hand. It offers the host, and
// once bound places the host's one agent, tells it the host's own command, environment and folder in place of the coordinator's,
// passes on what agent and coordinator say, and keeps a copy of the job's journal, so that everything a person asks about the job is
// answered here as well.
//
// It decides nothing about the job, but for one thing: when nothing was heard of the coordinator for kCoordinatorTimeout, its ranks end,
// for the coordinator is about to run them elsewhere. Loop thread only.
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

// What this host brings.
struct CoordinatorProxySelf {
  HostOffer offer;
  std::string host;
  std::string binary_hash;
  Incarnation incarnation = 0;
  JobId job;  // of the copy: two hosts may share their state folder
  JobSpec spec;
  JobSecrets secrets;
  Plan here;             // of this machine alone
  std::string endpoint;  // "10.0.0.1:29400", for people
  Duration patience{0};  // until the job has begun
};

class CoordinatorProxy {
 public:
  struct Handlers {
    // Once: the job has begun here (its copy can be followed), or why it will not.
    std::function<void(const Status&)> joined;
    // Once, after joined with success: the job goes on without us, or has lost its coordinator.
    std::function<void(const Status&)> lost;
    // What people should know while they wait.
    std::function<void(const std::string&)> remark;
  };
  CoordinatorProxy(CoordinatorProxyPorts ports, CoordinatorProxySelf self, Handlers handlers);
  ~CoordinatorProxy();

  void start();
  // Asks the coordinator to stop the whole job.
  Status stop(int signal, Duration grace);
  // Before the job has begun here: the user wants no more.
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
  std::optional<Bind> bind_;  // as it came
  std::optional<JobFold> fold_;
  std::optional<DesiredState> waiting_;  // for the agent
  std::optional<DesiredState> stop_;     // the newest, until another desired state comes
  Report report_;
  TimePoint began_;
  TimePoint heard_;
  Duration redial_{0};
  uint32_t strangers_ = 0;  // times in a row that something answered which is no muster
  bool remarked_ = false;
  bool over_ = false;
  TimerId redial_timer_ = 0;
  TimerId look_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
