// Agent: runs one job's workers on one node, as its coordinator wishes. It starts unbound, is bound once by a message,
// and is the only parent of workers (DESIGN.md §9.1).
//
// It obeys the newest attempt and never runs two: a newer one begins when nothing of the older is alive. It decides
// nothing about restarts. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/agent/device_hold.h"
#include "core/agent/guest_desk.h"
#include "core/agent/host_output.h"
#include "core/agent/node_lease.h"
#include "core/agent/node_setup.h"
#include "core/agent/rank_set.h"
#include "core/agent/rank_watch.h"
#include "core/agent/timer_desk.h"
#include "core/agent/worker_desk.h"
#include "core/attempt/repeats.h"
#include "core/base/log.h"
#include "core/output/output_tender.h"
#include "core/port/agent_channel.h"
#include "core/port/guest_host.h"
#include "core/port/machine_info.h"
#include "core/port/output_keeper.h"
#include "core/port/rank_probe.h"
#include "core/port/rank_store.h"
#include "core/port/setup_place.h"
#include "core/port/timer_pipe.h"
#include "core/port/worker_door.h"

namespace muster {

struct AgentPorts {
  Loop& loop;
  ProcessHost& host;
  OutputFiles& output;
  OutputKeeper& keeper;
  MachineLeases& leases;
  CoordinatorDialer& dialer;
  WorkerDoor& door;
  RankStoreHost& stores;
  WarmStart& warm;
  RankProbe& probe;
  GuestHost& guests;
  TimerPipe& timers;
  SetupPlace& setups;
  Log& log;
};

// Who an agent is, for its hello.
struct AgentSelf {
  Incarnation incarnation = 0;
  ProcessIdentity guardian;
  ProcessIdentity process;
  std::string host;
  std::string binary_hash;
  bool returned = false;  // it had a job before
  std::string warm;       // what it keeps of that for the next; empty: nothing
  std::string folder;     // muster's own here, which relative paths are meant from
  // For jobs of another machine (Bind::own_environment): what ranks begin with here, and the NIC of each of our addresses.
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> nics;
  std::optional<PodSelf> pod;  // it comes by itself, and waits for as long as it takes to be bound
};

class Agent {
 public:
  // `leave` runs once, when nothing of the job is alive on this node. kept: another agent is to wait in its place, in the
  // same process, with what is warm, if anything is; else the process should end.
  using Leave = std::function<void(bool kept)>;
  Agent(AgentPorts ports, AgentSelf self, Leave leave);
  ~Agent();

  void start();
  // Ends every rank (SIGTERM, then SIGKILL after `grace`) and leaves.
  void drain(Duration grace, const std::string& why);
  // The same, because its machine is taken away: as long as the job says, else for `otherwise`.
  void drain_as_stopped(Duration otherwise, const std::string& why) {
    taken_ = self_.pod.has_value();  // elsewhere its host is waited for
    drain(bind_ ? bind_->stop_grace : otherwise, why);
    changed();
  }
  // What it was dismissed with; nothing: it was not.
  const std::optional<Dismiss>& dismissed() const { return dismissed_; }

 private:
  void dial();
  void dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel);
  void channel_lost(const Status& status);
  Duration patience_alone() const;
  void leave_alone();
  void heard(const CoordinatorMessage& message);
  void obey(const Bind& bind);
  void obey(const Wish& wish);
  void obey(const TtyInput& typed);
  void obey(const RendezvousReply& reply) { desk_.answered(reply); }
  void obey(const Dismiss& dismiss);
  void obey(const JournalCopy&) {}  // a deputy's
  void obey(const GuestFrame& frame) { guests_.heard(frame); }
  void obey(const OutputTaken& taken) {
    if (host_output_) host_output_->heard(taken);
  }

  void keep(const Wish& wish);
  void stop_ranks(const Wish& wish);
  void resume_stopped();
  void drain_ranks(Duration grace, const std::string& why);
  void keep_for_next(uint32_t index, WorkerDoor::Answer answer);
  void seat_parked(const std::vector<RankTask>& tasks);
  void begin_attempt(Wish wish);
  void lease_spare_port();
  std::map<std::string, std::string> environment() const;
  void begin_setup(SetupTask task);
  bool prepared() const;
  SetupReport setup_report() const;
  bool ready_store();
  std::string open_store(const Wish& wish);
  void hear_store();
  void warm_up(const Wish& wish);
  void start_ranks(const std::vector<RankTask>& tasks, TimePoint patience);
  void tell_share(const std::vector<RankTask>& tasks);
  void tell_share(const Claim& claim);
  void devices_changed();
  void let_go();
  std::string lease_gpus(const std::vector<RankTask>& tasks);
  void changed();
  void send_report(bool repeated);
  void tell(const Report& report, bool repeated);
  void beat();
  void give_up_silent_link();
  void tend_output();
  void look_at_ranks();
  std::vector<RankTask> with_own_values(std::vector<RankTask> tasks) const;
  std::vector<RankTask> with_short_sockets(std::vector<RankTask> tasks);
  void remove_short_sockets();
  std::vector<RankTask> with_timers(std::vector<RankTask> tasks);
  void end_expired(const ExpiredTimer& timer);
  void add_open_barrier(Report& report) const;
  Result<GuestRequest> beside(uint32_t index) const;
  bool waits_for_guests();
  bool waits_for_output();
  bool waits_for_farewell();
  void leave_when_quiet();
  void end_lease();
  Report report();
  TimePoint met();

  AgentPorts ports_;
  const AgentSelf self_;
  Leave leave_;

  std::unique_ptr<ChannelToCoordinator> channel_;
  std::optional<Bind> bind_;
  NodeLease lease_;
  WorkerDesk desk_;
  ParkedRanks parked_;
  Attempt attempt_ = 0;
  TimePoint met_;        // of the attempt (Report::met)
  TimePoint importing_;  // likewise
  std::unique_ptr<NodeSetup> setup_;
  std::unique_ptr<DeviceHold> devices_;  // behind it
  std::unique_ptr<RankSet> ranks_;
  RankWatch watch_;
  TimerDesk timers_;
  GuestDesk guests_;
  std::unique_ptr<OutputTender> tender_;
  std::unique_ptr<HostOutput> host_output_;  // where the coordinator cannot read it
  std::string trouble_;
  std::map<uint32_t, std::string> short_sockets_;  // of torch's servers, by rank
  std::map<uint32_t, uint64_t> dropped_;           // bytes of the attempt's output, by rank
  int guest_farewells_ = 25;                       // looks at guests that end, before we leave
  std::optional<Wish> next_;                       // a newer attempt, waiting for this one to be quiet
  LeasedPort spare_port_;
  LeasedPort used_port_;                    // the current attempt's; held so that nobody else takes it
  std::unique_ptr<RankStore> spare_store_;  // listens at the spare port before anybody is told of it
  std::unique_ptr<RankStore> store_;        // the current attempt's
  std::unique_ptr<MachineLease> gpus_;
  std::unique_ptr<MachineLease> share_;  // what all users' muster hear of it
  Claim shared_;
  std::string snapshot_;  // what we keep of the job's journal
  TimePoint heard_at_;    // on this channel
  Duration redial_{0};
  TimerId redial_timer_ = 0;
  TimerId beat_timer_ = 0;
  TimerId lease_timer_ = 0;
  bool report_due_ = false;
  Repeats<Report> repeats_;
  Duration look_every_{0};  // as last wished
  bool leaving_ = false;
  bool taken_ = false;  // Report::taken
  std::optional<Dismiss> dismissed_;
  std::string why_leaving_;
  std::optional<TimePoint> farewell_until_;  // for the coordinator to hear that the node was drained
  TimePoint alone_since_;                    // when the channel was lost, or, behind that, ranks last ran
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
