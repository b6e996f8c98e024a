// SPDX-License-Identifier: Apache-2.0
// Controller: holds a user's jobs, queues each until all its ranks fit, and hosts a coordinator for each live job. Commands call
// it through ControlService. Its durable state is in the JobStore.
//
// There is one per user and machine, which the store's lock ensures, or one inside `run --standalone`. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/controller/controller_ports.h"
#include "core/controller/ended_jobs.h"
#include "core/controller/idle_watch.h"
#include "core/controller/intake.h"
#include "core/controller/job_closer.h"
#include "core/controller/job_queue.h"
#include "core/controller/job_table.h"
#include "core/controller/takeover.h"
#include "core/controller/viewers.h"
#include "core/port/control.h"

namespace muster {

struct ControllerSelf {
  ControllerInfo info;
  bool linger = true;            // agents outlive this process
  Duration idle{0};              // exit after this long without a live job, a viewer or a call; 0: never
  Duration warm_idle{0};         // the same while a waiting agent keeps something warm
  Retention retention;           // of ended jobs
  uint64_t seed = 1;             // of job ids; from the system's randomness
  bool answers_at_once = false;  // submit() answers before it returns: its caller runs the loop only after the answer
};

class Controller final : public ControlService {
 public:
  // `leave` is called once, when the process should end.
  Controller(ControllerPorts ports, ControllerSelf self, std::function<void()> leave);
  ~Controller() override;

  // Takes over the jobs that an earlier controller left running.
  void recover();

  // Whether this agent must be passed to agent_returned(): it is bound to a job, or a job here has it as its agent, even if it
  // has not received Bind. All other agents go to the backend.
  bool hosts(const Hello& hello) const;
  void agent_returned(ArrivedAgent agent);

  // Stops every live job: `run --standalone` was interrupted.
  void stop_all(Duration grace, const std::string& why);

  void submit(const SubmitRequest& request, std::function<void(Result<JobView>)> done) override;
  std::vector<JobView> list(const ListRequest& request) override;
  Result<JobView> describe(const DescribeRequest& request) override;
  void follow(const FollowRequest& request, std::unique_ptr<FollowSink> sink) override;
  Status stop(const std::string& job, int signal, Duration grace) override;
  Result<JobView> arrange(const ArrangeRequest& request) override;
  Status remove(const std::string& job) override;
  Result<Pruned> prune(const PruneRequest& request) override;
  Status type(const TtyBytes& typed) override;
  Status note_code(const std::string& job, const std::string& commit) override;
  void exec(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) override;
  ControllerInfo info() override;
  uint32_t end_idle_agents() override;
  Status shutdown(bool force) override;

 private:
  Result<JobId> find(const std::string& reference);
  Result<JobView> confirmed(const JobId& job);
  Result<JobView> view_of(const JobId& job);
  Status exec_refusal(const JobId& job);
  bool is_busy() const;
  void changed(const JobId& job);
  void leave();
  void leave_soon();

  ControllerPorts ports_;
  ControllerSelf self_;
  std::function<void()> leave_;
  JobTable jobs_;
  JobQueue queue_;
  Intake intake_;
  Takeover takeover_;
  EndedJobs ended_;
  Viewers viewers_;
  IdleWatch idle_;
  JobCloser closer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
