// Coordinator: runs one job. It feeds the job machine with what happens, and hands on its actions and what agents say to its parts:
// JobLedger journals every event that changed the job before anybody acts on it; AgentOrders tells agents what to do; SilenceWatch
// and HangWatch judge nodes and ranks; OutputIntake keeps what ranks print. It decides nothing itself.
//
// One per live job, hosted by a controller (or by `run --standalone`). Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attempt/assignment.h"
#include "core/coordinator/agent_orders.h"
#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/hang_watch.h"
#include "core/coordinator/job_endpoints.h"
#include "core/coordinator/job_execs.h"
#include "core/coordinator/job_gangs.h"
#include "core/coordinator/job_timers.h"
#include "core/coordinator/journal_copies.h"
#include "core/coordinator/output_intake.h"
#include "core/coordinator/rank_terminal.h"
#include "core/coordinator/silence_watch.h"
#include "core/job/plan/visible_gpus.h"

namespace muster {

class Coordinator final : public CoordinatorCore {
 public:
  // A new job: its submission is already journaled. `linger`: agents outlive us (false for --standalone).
  Coordinator(CoordinatorPorts ports, JobFold fold, JobSecrets secrets, bool linger);
  ~Coordinator() override;
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // Carries out what the job wants right now: first actions of a new job, or everything standing of one taken over.
  void begin(std::vector<job::Action> actions);
  void take_over();
  // The submission could not be kept after all, and nobody was told of the job: lets go of the nodes that it was about to get.
  void withdraw();
  // Ok: what happened so far is on the disk.
  Status settle() { return ledger_.settle(); }
  void note_code(const std::string& commit);

  void happen(const job::Event& event) override;
  // Told to people. `trouble`: again with the end.
  void remark(const std::string& sentence, bool trouble = false) override;
  // Before Admitted: the devices the job got.
  void replan(const Plan& plan);
  // What a queued job waits for, for people; empty: nothing. `place`: how many go before it, and itself.
  void waits_for(const std::string& what, uint32_t place = 0);
  // Where it stands in the queue from here on.
  void arrange(const Arranged& arranged);

  // An agent of this job dialled again after its channel or its controller was lost, perhaps before it heard that it is
  // bound.
  void agent_returned(ArrivedAgent agent);
  // Nothing of this node can be alive any more.
  void lost(NodeIndex node, const std::string& reason);
  // The node that this agent was placed on; nothing: it is not ours.
  std::optional<NodeIndex> node_of(Incarnation incarnation) const;
  void type(const TtyInput& typed) { terminal_.type(typed); }
  void exec(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) { execs_.open(start, std::move(viewer)); }
  // What ranks use is in view() until then.
  void measure_until(TimePoint until) { orders_.measure_until(until); }
  // And where they stand, as far as they have told; asked again soon it stays as it is.
  void examine_until(TimePoint until) { orders_.examine_until(until); }

  const JobFold& fold() const { return ledger_.fold(); }
  const Backend& backend() const { return ports_.backend; }
  // As Planning::plan and Claims::claim take it.
  JobOrigin origin() const { return {cuda_visible_devices(secrets_.environment), ledger_.submission().hosts}; }
  JobOnNodes on_nodes(const Plan& plan, bool anyway) const {
    const Submission& own = ledger_.submission();
    const JobCode code{own.code_hash, own.spec.workdir};
    return {own.id, own.name, plan, own.hosts, secrets_.environment, code, anyway, warm_of(own.spec).has_value()};
  }
  JobView view() const;  // with live details
  bool done() const { return ledger_.done(); }
  // What the attempt's ranks printed is in our files, as far as it will ever be. False for one that runs: more may come.
  bool has_output(const BegunAttempt& attempt) const { return output_.has_all(attempt); }
  // The same of a job that is over, whose nodes are let go then.
  bool has_output() const { return output_.has_all(); }
  // Its files are about to be removed: nothing more is written.
  void forget_output() { output_.forget(); }
  // The journal tells all that happened, so that we may be forgotten; on a full disk it does later.
  bool kept() const { return !ledger_.behind(); }

  // Runs after every change of view or events. Replaces the earlier one.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }

 private:
  void changed() override;
  void release(NodeIndex node) override { orders_.dismiss(node); }
  void give_up(NodeIndex node, const std::string& why) override;
  std::shared_ptr<const bool> alive() const override { return alive_; }

  void perform_all(const std::vector<job::Action>& actions);
  void act(const job::Place& action);
  void act(const job::Release& action);
  void act(const job::DesiredState& action) { orders_.desired(action); }
  void act(const job::ArmTimer& action) { timers_.arm(action); }
  void act(const job::CancelTimer& action) { timers_.cancel(action); }
  void act(const job::BeginAttempt& action);
  void act(const job::EndAttempt& action) { gangs_.end(action); }
  void act(const job::Finish&) {}  // its controller writes that down

  void know(NodeIndex node);
  void placed(NodeIndex node, Result<PlacedAgent> agent);
  void connect(NodeIndex node, ArrivedAgent agent);
  void channel_lost(NodeIndex node, const Status& status);
  void heard(NodeIndex node, const AgentMessage& message);
  void heard_report(NodeIndex node, const Report& told);
  void note_working(NodeIndex node, const Report& report);
  void left(NodeIndex node, const Leave& leave);
  void beat();

  const CoordinatorPorts ports_;
  const JobSecrets secrets_;
  JobLedger ledger_;
  JobGangs gangs_;
  AgentNodes nodes_;
  JobEndpoints endpoints_;
  JournalCopies copies_;
  OutputIntake output_;
  HangWatch hangs_;
  SilenceWatch silence_;
  AgentOrders orders_;
  JobExecs execs_;
  RankTerminal terminal_;
  JobTimers timers_;
  TimerId beat_timer_ = 0;
  std::string waits_for_;
  uint32_t queue_place_ = 0;
  std::function<void()> changed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for callbacks that outlive us
};

}  // namespace muster
