// Coordinator: runs one job. It feeds the job and rendezvous machines with what happens, journals every event that
// changed the job before acting on it, and carries their actions to backend, agents and store. It decides nothing
// itself.
//
// One per live job, hosted by a controller (or by `run --standalone`). Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/attempt/assignment.h"
#include "core/attempt/rendezvous_desk.h"
#include "core/attempt/repeats.h"
#include "core/base/log.h"
#include "core/coordinator/guest_relay.h"
#include "core/coordinator/output_remarks.h"
#include "core/coordinator/progress_meter.h"
#include "core/coordinator/type_ahead.h"
#include "core/job/plan/visible_gpus.h"
#include "core/journal/job_fold.h"
#include "core/journal/job_journal.h"
#include "core/journal/kept_journal.h"
#include "core/machine/vigil/gang.h"
#include "core/machine/vigil/pace.h"
#include "core/output/output_mirror.h"
#include "core/port/backend.h"
#include "core/port/job_store.h"
#include "core/port/loop.h"
#include "core/port/output_files.h"

namespace muster {

struct CoordinatorPorts {
  Loop& loop;
  Backend backend;
  JournalStore& store;
  OutputFiles& output;
  OutputKeeper& keeper;  // of what agents send (Capabilities::shares_filesystem)
  Log& log;
};

class Coordinator {
 public:
  // A new job: its submission is already journaled. `linger`: agents outlive us (false for --standalone).
  Coordinator(CoordinatorPorts ports, JobFold fold, JobSecrets secrets, bool linger);
  ~Coordinator();

  // Carries out what the job wants right now: first actions of a new job, or everything standing of one taken over.
  void begin(std::vector<job::Action> actions);
  void take_over();
  // The submission could not be kept after all, and nobody was told of the job: lets go of the nodes that it was about to get.
  void withdraw();
  // Ok: what happened so far is on the disk.
  Status settle() { return journal_.settle(); }
  void note_code(const std::string& commit);

  void happen(const job::Event& event);
  // Told to people. `trouble`: again with the end.
  void remark(const std::string& sentence, bool trouble = false);
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
  void type(const TtyInput& typed);
  void exec(const GuestStart& start, std::unique_ptr<GuestChannel> viewer);
  // What ranks use is in view() until then.
  void measure_until(TimePoint until);
  // And where they stand, as far as they have told; asked again soon it stays as it is.
  void examine_until(TimePoint until);

  const JobFold& fold() const { return fold_; }
  const Backend& backend() const { return ports_.backend; }
  // As Planning::plan and Claims::claim take it.
  JobOrigin origin() const { return {cuda_visible_devices(secrets_.environment), fold_.submission().hosts}; }
  JobOnNodes on_nodes(const Plan& plan, bool anyway) const {
    const Submission& own = fold_.submission();
    const JobCode code{own.code_hash, own.spec.workdir};
    return {own.id, own.name, plan, own.hosts, secrets_.environment, code, anyway, warm_of(own.spec).has_value()};
  }
  JobView view() const;  // with live details
  bool done() const { return fold_.state().phase == job::Phase::done; }
  // What the attempt's ranks printed is in our files, as far as it will ever be. False for one that runs: more may come.
  bool has_output(const BegunAttempt& attempt) const;
  // The same of a job that is over, whose nodes are let go then.
  bool has_output() const { return farewells_.empty(); }
  // Its files are about to be removed: nothing more is written.
  void forget_output();
  // The journal tells all that happened, so that we may be forgotten; on a full disk it does later.
  bool kept() const { return !journal_.behind(); }

  // Runs after every change of view or events. Replaces the earlier one.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }

 private:
  struct Node {
    std::unique_ptr<ChannelToAgent> channel;
    Incarnation incarnation = 0;
    Report report;
    uint64_t number = 0;  // of the channel, at the rendezvous desk
    bool deputy = false;  // it brings its own command, environment and folder, and keeps a copy of the journal
    // Beats since its last report: while we sleep or are stopped nothing is heard and nobody is to blame.
    uint32_t silent = 0;
    Repeats<Wish> wishes;
    bool strange = false;  // it sent what is not its own, which was said
    size_t keeps = 0;      // bytes of kept_journal_
  };
  // A node that is let go when its output is here.
  struct Farewell {
    Incarnation incarnation = 0;
    TimePoint since;  // some came
  };

  // What is kept of each gang (machine/job/gangs.h): of the whole job, or of every group.
  struct Gang {
    explicit Gang(Loop& loop) : rendezvous(loop) {}
    RendezvousDesk rendezvous;
    ProgressMeter meter;
    vigil::GangState seen;
    vigil::Pace pace;
    bool examine = false;  // what agents are wished
    job::EndAttempt end;   // the last that we saw
  };

  void perform_all(const std::vector<job::Action>& actions);
  void perform(const job::Action& action);
  void act(const job::Place& action);
  void act(const job::Release& action);
  void act(const job::Wish& action);
  void act(const job::ArmTimer& action);
  void act(const job::CancelTimer& action);
  void act(const job::BeginAttempt& action);
  void act(const job::EndAttempt& action);
  void act(const job::Finish&) {}  // its controller writes that down

  void know(NodeIndex node);

  void journal(TimePoint now, const JournalEntry& entry, bool sync);
  void copy_journal(ChannelToAgent& deputy, uint64_t from);
  void placed(NodeIndex node, Result<PlacedAgent> agent);
  void connect(NodeIndex node, ArrivedAgent agent);
  void channel_lost(NodeIndex node, const Status& status);
  void heard(NodeIndex node, const AgentMessage& message);
  void heard_report(NodeIndex node, const Report& report);
  void send_typed(const TtyInput& typed);
  Status guest_refusal(const GuestStart& start) const;
  void send_guest(NodeIndex node, const GuestFrame& frame);
  bool is_output_of(NodeIndex node, const OutputFile& file) const;
  void heard_output(NodeIndex node, const OutputBytes& bytes);
  void output_beat();
  bool stays_for_output(NodeIndex node);
  void note_output(NodeIndex node, uint64_t before);
  void lose_output(NodeIndex node, const std::string& why);
  std::optional<NodeIndex> staying_node(Incarnation incarnation) const;
  void release(NodeIndex node);
  void terminal_ready(Attempt attempt, const RankReport& rank);
  void asked(NodeIndex node, const RendezvousRequest& request);
  void left(NodeIndex node, const Leave& leave);
  void send_wish(NodeIndex node, const job::Wish& wish);
  void add_journal(NodeIndex node, Wish& message);
  bool have_kept_journal();
  void tell_end(NodeIndex node, Wish& message) const;
  void beat();
  uint32_t beats_between_levels(const Node& node) const;
  void wish_again(std::optional<NodeIndex> node);
  void judge_silent_nodes();
  bool hurries(NodeIndex node) const;
  void pass_over_unreached();
  void watch(NodeIndex node, const Report& report);
  void note_working(NodeIndex node, const Report& report);
  void note_open_barrier(uint32_t gang);
  void watch_beat(uint32_t gang);
  void judge(uint32_t gang);
  std::vector<job::Judged> over(uint32_t gang, const std::vector<job::Judged>& standing) const;
  void add_watch(JobView& view) const;
  bool is_lost(const Node& node) const;
  bool hangs(NodeIndex index, const Node& node) const;
  void give_up(NodeIndex node, const std::string& why);
  bool choose_endpoints(uint32_t gang, Attempt attempt);
  AttemptPlace attempt_place(NodeIndex node);
  std::string output_path(Attempt attempt, const PlannedRank& rank, OutputStream stream);
  std::string setup_output(Attempt attempt, NodeIndex node);
  std::string setup_under_way() const;
  std::string setup_under_way(SetupPhase phase) const;
  std::optional<JobProgress> progress() const;
  // A node's.
  Gang& gang_of(NodeIndex node) { return gangs_[job::gang_of(fold_.state(), node)]; }
  const job::State& state_of(NodeIndex node) const;
  bool on_one_node(uint32_t gang) const;
  BindTerms terms(NodeIndex node);
  TimePoint now() const;  // the job's time: the loop's, and never behind the journal

  CoordinatorPorts ports_;
  JobFold fold_;
  JobSecrets secrets_;
  JobSecrets told_;  // what agents hear of them
  const bool linger_;
  const Duration ahead_;  // of the loop's time; more than 0 when the clock was set back before we took over

  JobJournal journal_;
  std::optional<KeptJournal> kept_journal_;  // where agents keep it, once one was wished something
  TypeAhead type_ahead_;
  OutputRemarks output_remarks_;
  std::deque<Gang> gangs_;
  std::map<NodeIndex, Node> nodes_;
  std::map<NodeIndex, uint32_t> unreached_;   // beats since the job was killed
  std::set<NodeIndex> deputies_;              // that ever were: who may want a copy of the journal
  std::map<Incarnation, NodeIndex> node_of_;  // that ever were up
  std::optional<AttemptPlace> addresses_;     // of all nodes, while wishes are told
  GuestRelay guests_{[this](NodeIndex node, const GuestFrame& frame) { send_guest(node, frame); }};
  std::optional<OutputMirror> mirror_;  // where nodes do not write into our files
  std::map<NodeIndex, Farewell> farewells_;
  TimePoint measure_until_;
  TimePoint examine_until_;
  std::map<job::Timer, TimerId> timers_;
  TimerId beat_timer_ = 0;
  std::string waits_for_;
  uint32_t queue_place_ = 0;
  std::function<void()> changed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for callbacks that outlive us
};

}  // namespace muster
