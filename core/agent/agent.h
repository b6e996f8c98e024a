// SPDX-License-Identifier: Apache-2.0
// Agent: runs the ranks of one job on one node, as the desired states of its coordinator say. It starts unbound and is
// bound to a job once, by a Bind message. It is the only parent of the ranks (docs/design/agent.md).
//
// The agent follows the newest attempt and never runs two: a newer attempt starts when no process of the older one is
// alive. It decides nothing about restarts. Each concern is a class of its own. The node services that it runs for ranks
// are passed to it as a list (port/node_service.h). Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/agent/agent_output.h"
#include "core/agent/agent_shutdown.h"
#include "core/agent/agent_uplink.h"
#include "core/agent/exec_server.h"
#include "core/agent/local_tasks.h"
#include "core/agent/node_lease.h"
#include "core/agent/peer_execs.h"
#include "core/agent/provision/attempt_ports.h"
#include "core/agent/provision/node_preparation.h"
#include "core/agent/provision/node_services.h"
#include "core/agent/provision/rank_devices.h"
#include "core/agent/rank/rank_attention.h"
#include "core/agent/rank/rank_set.h"
#include "core/agent/reporter.h"
#include "core/agent/worker_server.h"
#include "core/base/log.h"
#include "core/port/agent_channel.h"
#include "core/port/container_host.h"
#include "core/port/exec_host.h"
#include "core/port/leftover_host.h"
#include "core/port/machine_info.h"
#include "core/port/node_service.h"
#include "core/port/output_keeper.h"
#include "core/port/rank_probe.h"
#include "core/port/setup_place.h"
#include "core/port/timer_pipe.h"
#include "core/port/worker_listener.h"

namespace muster {

struct AgentPorts {
  Loop& loop;
  ProcessHost& host;
  LeftoverHost& leftovers;
  OutputFiles& output;
  OutputKeeper& keeper;
  MachineLeases& leases;
  CoordinatorDialer& dialer;
  WorkerListener& door;
  RankProbe& probe;
  ExecHost& execs;
  TimerPipe& timers;
  SetupPlace& setups;
  ContainerHost& containers;
  Log& log;
  NodeServiceFactory services;  // each agent calls it once
};

// The facts that an agent reports about itself in its Hello.
struct AgentSelf {
  Incarnation incarnation = 0;
  ProcessIdentity guardian;
  ProcessIdentity process;
  std::string host;
  std::string binary_hash;
  bool returned = false;  // a waiting agent: its earlier job has ended
  std::string warm;       // what it keeps warm from that job; empty: nothing
  std::string folder;     // muster's folder on this host; relative paths start from it
  Duration patience{0};   // how long it waits for a lost controller that must not be outlived (Bind::linger)
  HostEnvironment programs;
  std::vector<std::string> program = {"/proc/self/exe"};  // the words that start muster's own program
  std::optional<PodSelf> pod;  // set in a pod: the agent connects by itself and waits until it is bound
};

class Agent {
 public:
  // `leave` is called once, when no process of the job is alive on this node. kept: this process is to become a waiting
  // agent and keeps what is warm. Otherwise the process should end.
  using Leave = std::function<void(bool kept)>;
  Agent(AgentPorts ports, AgentSelf self, Leave leave);
  ~Agent();

  void start();
  // Ends every rank (SIGTERM, then SIGKILL after `grace`) and leaves.
  void drain(Duration grace, const std::string& why);
  // The same, because the machine is taken away. The grace is the job's stop grace; `otherwise` if no job is bound.
  void drain_as_stopped(Duration otherwise, const std::string& why);
  // The Dismiss message; empty: the agent was not dismissed.
  const std::optional<Dismiss>& dismissed() const { return dismissed_; }

 private:
  void opened();
  void closed();
  void unreachable();
  void leave_alone();
  void heard(const CoordinatorMessage& message);
  void obey(const Bind& bind);
  void obey(const DesiredState& desired);
  void obey(const TtyInput& typed) { ranks_ ? ranks_->type(typed) : void(); }
  void obey(const RendezvousReply& reply) { worker_server_.answered(reply); }
  void obey(const Dismiss& dismiss);
  void obey(const JournalCopy&) {}  // only for coordinator proxies
  void obey(const ExecFrame& frame) { execs_.heard(frame); }
  void obey(const PeerExec& message) { peer_execs_.heard(message); }
  void obey(const OutputTaken& taken) { output_.heard(taken); }

  void keep(const DesiredState& desired);
  void lease_ports();
  void begin_setup(SetupTask task);
  void claim_devices(const DeviceHold& devices);

  void begin_when_stopped(DesiredState desired);
  void begin_attempt(DesiredState desired);
  std::vector<RankTask> local(std::vector<RankTask> tasks);
  void adopt_parked(const std::vector<RankTask>& tasks);
  void start_services(DesiredState desired);
  void start_ranks(std::vector<RankTask> tasks, const std::string& failure);
  void service_failed(const std::string& why);
  void keep_for_next(uint32_t index, WorkerListener::Answer answer);
  Result<ExecRequest> beside(const ExecServer::Where& where) const;

  void stop_ranks(const DesiredState& desired);
  void drain_ranks(const RankSet::Drain& drain);
  void end_lease();
  void leave_when_quiet();

  void changed() { reporter_.changed(); }
  void report_now(bool repeated);
  Report report();
  void beat();

  AgentPorts ports_;
  const AgentSelf self_;
  Leave leave_;

  AgentUplink link_;
  Reporter reporter_;
  NodeLease lease_;
  WorkerServer worker_server_;
  ParkedRanks parked_;
  Leftovers leftovers_;
  NodePreparation preparation_;
  NodeServices services_;
  AttemptPorts tcp_ports_;
  RankDevices devices_;
  LocalTasks tasks_;
  AgentOutput output_;
  RankAttention attention_;
  ExecServer execs_;
  PeerExecs peer_execs_;
  AgentShutdown shutdown_;

  std::optional<Bind> bind_;
  std::shared_ptr<RankInput> input_;  // of the job's ranks; null: stdin is empty
  Attempt attempt_ = 0;
  std::unique_ptr<RankSet> ranks_;
  std::optional<DesiredState> next_;  // a newer attempt, which starts when this one is quiet
  TimePoint met_;                     // of the attempt (Report::met)
  bool taken_ = false;                // Report::taken
  std::string trouble_;               // the newest problem
  std::string snapshot_;              // the kept part of the job's journal
  TimerId beat_timer_ = 0;
  bool leaving_ = false;
  std::string why_leaving_;
  std::optional<Dismiss> dismissed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
