// Controller: holds a user's jobs, queues them until their whole gang fits, and hosts a coordinator for each live one.
// What commands ask of it comes through ControlService; what it must remember is in the JobStore.
//
// One per user and machine (the store's lock sees to it), or one inside `run --standalone`. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/controller/retention.h"
#include "core/controller/viewers.h"
#include "core/coordinator/coordinator.h"
#include "core/port/control.h"

namespace muster {

struct ControllerPorts {
  Loop& loop;
  Backends backends;
  JobStore& store;
  OutputFiles& output;
  OutputKeeper& keeper;
  Log& log;
};

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
  void exec(const GuestStart& start, std::unique_ptr<GuestChannel> viewer) override;
  ControllerInfo info() override;
  uint32_t end_idle_agents() override;
  Status shutdown(bool force) override;

 private:
  Result<JobId> find(const std::string& reference);
  Result<JobId> accept(const SubmitRequest& request);
  Result<JobView> told(const JobId& job);
  Status refuse_taken_name(const std::string& name) const;
  Status refuse_unqueued(const JobId& job);
  Status refuse_running(const JobId& job);
  Status exec_refusal(const JobId& job);
  Status start_anew();
  void leave();
  void leave_soon();
  void leave_alone(const JobId& job, const Status& why);
  Status keep(const Submission& submission, const JobSecrets& secrets, TimePoint at);
  void withdraw(const JobId& job);
  Result<std::shared_ptr<JobFold>> read_cold(const JobId& job);
  Result<JobView> view_of(const JobId& job);
  void host(const JobId& job, JobFold fold, JobSecrets secrets);
  void refresh_records();
  void read_records();
  bool measure(const JobId& job);
  Pruned forget(const std::vector<const JobRecord*>& going);
  void keep_bounded();
  void keep_bounded_later();
  void take_over(const JobId& job);
  void end_copy(const JobId& job, JobFold fold);
  void settle_record(const JobId& job, const JobFold& fold);
  std::vector<queue::Waiting> waiting();
  std::vector<Holder> holders(const Backend& of) const;
  std::string waits_elsewhere(const JobFold& fold);
  Status start(const JobId& job, const std::vector<Holder>& held);
  Status start_on_hosts(const JobId& job);
  void admit_here(std::vector<queue::Waiting> jobs);
  void admit_on_hosts(std::vector<queue::Waiting> jobs);
  void admit_queued();
  void admit_again(Duration after);
  void changed(const JobId& job);
  std::shared_ptr<Coordinator> host_of(const JobId& job) const;
  std::shared_ptr<Coordinator> host_of(const Hello& hello) const;
  void say_farewell(const JobId& job);
  void forget_later(const JobId& job);
  bool waits_for_output() const;
  void retire(const JobId& job);
  void settle_after(Duration time, const JobId& job);
  bool close_books(const JobId& job);
  bool settle(const JobId& job);
  void settle_ended();
  void used();
  void stay_for(Duration time);
  void check_idle();

  ControllerPorts ports_;
  ControllerSelf self_;
  std::function<void()> leave_;
  Random random_;
  std::map<JobId, JobRecord> records_;
  std::map<JobId, std::shared_ptr<Coordinator>> live_;
  std::map<JobId, std::shared_ptr<Coordinator>>
      leaving_;  // done, waiting for output and saying farewell to their agents
  std::set<JobId> queue_;
  std::set<JobId> untold_;  // submitted in this turn: their users have not been answered
  TimePoint newest_;        // when the last was submitted
  TimerId queue_timer_ = 0;
  TimerId retention_timer_ = 0;
  TimePoint queue_due_;
  Viewers viewers_;
  bool adopts_ = false;  // jobs whose host is gone
  TimerId idle_timer_ = 0;
  TimePoint used_at_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
