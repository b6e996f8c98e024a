// SPDX-License-Identifier: Apache-2.0
// Control: the API of a controller. The controller implements ControlService, which core/wire serves; commands use
// ControlClient. Both consist of the same four interfaces: reading jobs, acting on jobs, input to ranks, and the controller
// itself, which a cluster does not have. A caller takes the narrowest one that it needs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/control_messages.h"
#include "core/port/exec_channel.h"

namespace muster {

inline constexpr size_t kMostEndedListed = 20;

// The receiving end of a follow, held by the service. Loop thread only. Destroying it ends the stream.
class FollowSink {
 public:
  virtual ~FollowSink() = default;
  // Queues the item in any case. False: the window (1 MiB) is full, or the viewer is gone; write no more until `writable` runs.
  virtual bool write(const FollowItem& item) = 0;
  // `writable` runs when the window has free space again; `gone` runs once, when the viewer has left. Set once.
  virtual void listen(std::function<void()> writable, std::function<void()> gone) = 0;
  // Ends the stream with this status after everything that was written.
  virtual void finish(const Status& status) = 0;
};

// The services' methods are called on the loop thread only.
class JobReadService {
 public:
  virtual ~JobReadService() = default;
  // Without `all`: the live jobs and, of those that ended within the last hour, the newest kMostEndedListed. Oldest
  // first.
  virtual std::vector<JobView> list(const ListRequest& request) = 0;
  virtual Result<JobView> describe(const DescribeRequest& request) = 0;
  virtual void follow(const FollowRequest& request, std::unique_ptr<FollowSink> sink) = 0;
};

class JobActionService {
 public:
  virtual ~JobActionService() = default;
  // `done` may run in the same turn.
  virtual void submit(const SubmitRequest& request, std::function<void(Result<JobView>)> done) = 0;
  // SIGKILL: at once. Otherwise `signal` (mostly SIGTERM), then SIGKILL after `grace` (negative: the job's timeouts.stop).
  virtual Status stop(const std::string& job, int signal, Duration grace) = 0;
  // failed_precondition while the job is not done.
  virtual Status remove(const std::string& job) = 0;
};

class RankInputService {
 public:
  virtual ~RankInputService() = default;
  // Keystrokes for a rank's terminal.
  virtual Status type(const TtyBytes& typed) = 0;
  // Runs a program beside a rank. `viewer` gets its output and at last an ExecEnd, which also says why it could not start.
  virtual void exec(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) = 0;
};

class ControllerService {
 public:
  virtual ~ControllerService() = default;
  virtual ControllerInfo info() = 0;
  // Ok: the job has the requested place in the queue, and may have started meanwhile. failed_precondition: the job is not queued,
  // or the other job is not.
  virtual Result<JobView> arrange(const ArrangeRequest& request) = 0;
  virtual Result<Pruned> prune(const PruneRequest& request) = 0;
  // The commit of the job's code (SubmitRequest::code_commit), if it was not known at submit. The job may have ended.
  virtual Status note_code(const std::string& job, const std::string& commit) = 0;
  // Ends the agents that wait for a job, and returns how many.
  virtual uint32_t end_idle_agents() = 0;
  // Leaves once no job is live. failed_precondition names the live ones unless `force` (their agents continue).
  virtual Status shutdown(bool force) = 0;
};

class ControlService : public JobReadService,
                       public JobActionService,
                       public RankInputService,
                       public ControllerService {
 public:
  ~ControlService() override = default;
};

// The clients' calls, apart from follow and exec, block for at most their deadline (10 s). unavailable: no controller
// answers.
class JobReadClient {
 public:
  virtual ~JobReadClient() = default;
  virtual Result<std::vector<JobView>> list(const ListRequest& request) = 0;
  virtual Result<JobView> describe(const DescribeRequest& request) = 0;

  // A follow that is under way. Destroying it ends the follow silently.
  class Following {
   public:
    virtual ~Following() = default;
    // While held, neither an item nor the end is delivered. May be called in a handler.
    virtual void hold(bool held) = 0;
  };
  // `on_item` and then `on_end` run on the loop that the client was made with. The next item comes after the handler has
  // returned. Ends with unavailable if the controller goes away.
  virtual std::unique_ptr<Following> follow(const FollowRequest& request,
                                            std::function<void(const FollowItem&)> on_item,
                                            std::function<void(const Status&)> on_end) = 0;
};

class JobActionClient {
 public:
  virtual ~JobActionClient() = default;
  virtual Result<JobView> submit(const SubmitRequest& request) = 0;
  virtual Status stop(const std::string& job, int signal, Duration grace) = 0;
  virtual Status remove(const std::string& job) = 0;
};

class RankInputClient {
 public:
  virtual ~RankInputClient() = default;
  virtual Status type(const TtyBytes& typed) = 0;
  // Runs a program beside a rank. The channel gets its frames until an ExecEnd. Destroying the channel ends the program.
  virtual std::unique_ptr<ExecChannel> exec(const ExecStart& start) = 0;
};

// The calls that a controller answers, and also a cluster, which has no controller.
class JobClient : public JobReadClient, public JobActionClient, public RankInputClient {
 public:
  ~JobClient() override = default;
};

class ControllerClient {
 public:
  virtual ~ControllerClient() = default;
  virtual Result<ControllerInfo> info() = 0;
  virtual Result<JobView> arrange(const ArrangeRequest& request) = 0;
  virtual Result<Pruned> prune(const PruneRequest& request) = 0;
  virtual Status note_code(const std::string& job, const std::string& commit) = 0;
  virtual Result<uint32_t> end_idle_agents() = 0;
  virtual Status shutdown(bool force) = 0;
};

class ControlClient : public JobClient, public ControllerClient {
 public:
  ~ControlClient() override = default;
};

}  // namespace muster
