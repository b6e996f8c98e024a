// Controller: holds a user's jobs, queues them until their whole gang fits, and hosts a coordinator for each live one.
// What commands ask of it comes through ControlService; what it must remember is in the JobStore.
//
// One per user and machine (the store's lock sees to it), or one inside `run --standalone`. Loop thread only.
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
  bool linger = true;            // agents outlive us
  Duration idle{0};              // leave after this long without a live job, a viewer or a call; 0: never
  Duration warm_idle{0};         // the same while an agent waits for a job with something warm
  Retention retention;           // of ended jobs
  uint64_t seed = 1;             // of job ids; from the system's randomness
  bool answers_at_once = false;  // who submits runs the loop itself, and not before it is answered
};

class Controller final : public ControlService {
 public:
  // `leave` runs once, when the process should end.
  Controller(ControllerPorts ports, ControllerSelf self, std::function<void()> leave);
  ~Controller() override;

  // Takes over the jobs that a controller before us left running.
  void recover();

  // Whether this agent goes to agent_returned(): it says that it is bound, or we know that it is, which it may not have
  // heard. All others are the backend's.
  bool hosts(const Hello& hello) const;
  void agent_returned(ArrivedAgent agent);

  // Stops every live job (a --standalone run that is interrupted).
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
