// SPDX-License-Identifier: Apache-2.0
// Coordinator: runs one job. It passes events to the job machine, and the machine's actions and the agents' messages to its
// parts:
//
// - JobLedger writes every event that changes the job to the journal before it takes effect.
// - AgentOrders tells agents what to do.
// - SilenceWatch and HangWatch judge nodes and ranks.
// - OutputIntake keeps the output of ranks.
//
// The coordinator decides nothing itself. There is one per live job, in a controller (or in `run --standalone`). Loop thread
// only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attempt/assignment.h"
#include "core/attempt/hidden_secrets.h"
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
  // The job's submission is already in the journal. `linger`: agents outlive this process (false for --standalone).
  Coordinator(CoordinatorPorts ports, JobFold fold, JobSecrets secrets, bool linger);
  ~Coordinator() override;
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // Performs the first actions of a new job.
  void begin(std::vector<job::Action> actions);
  // Adopts the nodes of a job from an earlier controller, and performs the actions that its state needs.
  void take_over();
  // The submission could not be stored and has failed: releases the nodes that the job was about to get.
  void withdraw();
  // Ok: all events so far are durable.
  Status settle() { return ledger_.settle(); }
  void note_code(const std::string& commit);

  void happen(const job::Event& event) override;
  // Adds a note to the journal. `trouble`: it is a problem, which is shown again when the job ends.
  void remark(const std::string& sentence, bool trouble = false) override;
  // Sets the devices that the job got. Call it before Admitted.
  void replan(const Plan& plan);
  // Sets the reason why a queued job waits, as words; empty: none. `place`: its place in the queue, from 1.
  void waits_for(const std::string& what, uint32_t place = 0);
  // Changes the job's place in the queue.
  void arrange(const Arranged& arranged);

  // An agent of this job has connected again after its channel or its controller was lost, perhaps before it received Bind.
  void agent_returned(ArrivedAgent agent);
  // No process on this node can be alive any more.
  void lost(NodeIndex node, const std::string& reason);
  // The node that this agent was placed on; empty: it is not an agent of this job.
  std::optional<NodeIndex> node_of(Incarnation incarnation) const;
  void type(const TtyInput& typed) { terminal_.type(typed); }
  void exec(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) { execs_.open(start, std::move(viewer)); }
  // view() has the CPU and memory use of ranks until then.
  void measure_until(TimePoint until) { orders_.measure_until(until); }
  // view() has the locations of ranks until then, as far as agents have reported them (AgentOrders::examine_until).
  void examine_until(TimePoint until) { orders_.examine_until(until); }

  const JobFold& fold() const { return ledger_.fold(); }
  const Backend& backend() const { return ports_.backend; }
  // The arguments of Planning::plan and Claims::claim.
  JobOrigin origin() const { return {cuda_visible_devices(secrets_.environment), ledger_.submission().hosts}; }
  JobOnNodes on_nodes(const Plan& plan, bool anyway) const {
    const Submission& own = ledger_.submission();
    const JobCode code{own.code_hash, own.spec.workdir};
    return {
        own.id, own.name, plan, own.hosts, secrets_.environment, code, anyway, warm_of(own.spec, secrets_).has_value()};
  }
  JobView view() const;  // with live details
  bool done() const { return ledger_.done(); }
  // Whether the output of the attempt's ranks is in our files, as far as it will ever be. False while the attempt runs.
  bool has_output(const BegunAttempt& attempt) const { return output_.has_all(attempt); }
  // The same for a job that has ended. Its nodes are then released.
  bool has_output() const { return output_.has_all(); }
  // The job's files are about to be removed: nothing more is written to them.
  void forget_output() { output_.forget(); }
  // Whether the journal in the store is complete, so that the coordinator may be destroyed. Later if the disk is full.
  bool kept() const { return !ledger_.behind(); }
  // As in JobLedger.
  bool may_tell_end() const { return ledger_.may_tell_end(); }

  // `changed` is called after every change of view or events. It replaces the earlier callback.
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
  void act(const job::Finish&) {}  // the controller writes the final record

  void know(NodeIndex node);
  void placed(NodeIndex node, Result<PlacedAgent> agent);
  void connect(NodeIndex node, ArrivedAgent agent);
  void channel_lost(NodeIndex node, const Status& status);
  void heard(NodeIndex node, const AgentMessage& message);
  void heard_report(NodeIndex node, const Report& told);
  void note_working(NodeIndex node, const Report& report);
  void left(NodeIndex node, const Leave& leave);
  void beat();
  void catch_up();

  const CoordinatorPorts ports_;
  const JobSecrets secrets_;
  const HiddenSecrets hidden_;
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
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for callbacks that outlive this object
};

}  // namespace muster
