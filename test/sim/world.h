// SPDX-License-Identifier: Apache-2.0
// World: a controller, its store and its agents on simulated machines. A test scripts programs, lets time pass, injects faults, and
// checks the results. The same options and calls give the same run, with the same hash().
//
// It is the basis of simulations with faults from a seed. All of muster in it is real, except the ports.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/testing/fake_backend.h"
#include "core/controller/controller.h"
#include "core/journal/job_fold.h"
#include "test/sim/invariants.h"
#include "test/sim/sim_agents.h"
#include "test/sim/sim_host.h"
#include "test/sim/sim_store.h"

namespace muster::sim {

struct WorldOptions {
  uint64_t seed = 1;
  uint32_t gpus = 8;
  bool linger = true;
  Duration patience{0};         // of agents for which `linger` is false (AgentSelf)
  bool answers_at_once = true;  // ControllerSelf
  Duration idle{0};
  bool keep_trace = false;
  uint32_t hosts = 0;        // for agents; 0: they run on the controller's host
  bool fixed_hosts = true;   // false: a node is placed on any host that answers (docs/design/liveness.md: leases)
  bool pods = false;         // nodes join by themselves and are taken away, which is no failure of the job
  bool shares_files = true;  // false: output is on the hosts, and agents upload it
};

// A job of `nodes` × `workers` ranks that is restarted at most `limit` times.
JobSpec job_spec(const std::string& name, uint32_t nodes = 1, uint32_t workers = 1, uint32_t limit = 0);

class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();

  SimLoop loop;
  std::deque<SimHost> hosts;  // the first is the controller's
  SimProcesses processes;
  SimStore store;
  SimOutput output;
  SimKeeper keeper{output};
  SimLeases& leases;  // of the first host
  SimLog log;
  SimNetwork network;
  SimAgents agents;

  // The shell of every submit, without the secret that each job has.
  std::map<std::string, std::string> shell_environment;
  ProcessSettings shell_settings;

  // Starts a controller process, which takes over the jobs of the store.
  void start_controller();
  // The controller dies: its actions in the rest of this turn have no effect.
  void crash_controller();
  // The controller dies when `line` more journal lines have been written: right after the write, or at the end of that turn.
  enum class Moment { before_acting, after_acting };
  void crash_at_line(uint64_t line, Moment moment);
  bool has_controller() const { return controller_ != nullptr && !dying_; }
  bool controller_left() const { return left_; }  // by itself
  Controller& controller() { return *controller_; }
  const FakeBackend& backend() const { return *backend_; }
  // The host of controller and store goes down; agents continue.
  void lose_controller_host();
  // The same, but its links are not closed, and no turn runs.
  void cut_controller_power();
  SimLoop::Gate* controller_loop() { return controller_loop_.get(); }
  // Runs `work` on the controller's loop, if there is a controller.
  void ask_controller(std::function<void(Controller&)> work);

  // A host of agents loses its power, with all its processes; nothing is reported before it is back.
  void power_off(HostIndex host);
  void power_on(HostIndex host);
  void suspend(HostIndex host) { hosts[host].suspend(); }
  void wake(HostIndex host);
  // Call it after connections were unblocked: reports the agents that ended meanwhile.
  void report_ended_agents();
  bool answers(HostIndex host) const { return hosts[host].on && network.reachable(host); }
  bool quiet() const;  // no process, agent, device or port is held anywhere
  // From now on the test plays the agents: for each placement it returns the guardian of the agent that will connect.
  using Placed = std::function<int64_t(const NodeRef& node)>;
  void play_agents(Placed placed) { placed_ = std::move(placed); }
  // From now on, placing agents fails with this status.
  void refuse_places(const Status& status) { refuse_places_ = status; }

  Result<JobView> submit(const JobSpec& spec, const std::string& submit_key = "");
  JobView view(const std::string& job);
  // The view that follows from the journal.
  JobView view_from_journal(const JobId& job) const;
  // Restarts that count against restarts.limit.
  uint32_t counted_restarts(const JobId& job) const;
  bool run_until_view(const std::string& job, const std::function<bool(const JobView&)>& holds, Duration limit);
  bool run_until_done(const std::string& job, Duration limit = std::chrono::minutes(10));
  bool run_until_state(const std::string& job, const std::string& state, Duration limit = std::chrono::minutes(10));

  SubmitRequest request_of(const JobSpec& spec, const std::string& submit_key) const;

  void check(const watch::JobStep& step);
  const std::vector<std::string>& breaches() const { return invariants_.breaches(); }
  // The job whose machine has this seed; empty: none.
  std::string name_of(uint64_t seed) const;
  void on_note(std::function<void(const std::string& what)> noted) { noted_ = std::move(noted); }
  void on_process(SimProcesses::Watcher watcher) { process_watcher_ = std::move(watcher); }
  uint64_t hash() const { return hash_; }
  const std::vector<std::string>& trace() const { return trace_; }
  void note(const std::string& what);

 private:
  Result<JobFold> fold_from_journal(const JobId& job) const;
  void agent_ended(int64_t guardian, const std::string& how);
  FakeAgents hands();
  Result<int64_t> start_agent(const NodeRef& node);
  std::optional<HostIndex> host_for(const NodeRef& node);
  void end_agent(int64_t guardian);
  void line_written(std::string_view line);
  void note_line(std::string_view line);
  void hash(std::string_view text);
  void end_of_turn();
  void destroy_controller();

  const WorldOptions options_;
  Invariants invariants_;
  std::shared_ptr<HostLoop> controller_loop_;
  std::unique_ptr<SimStoreSession> session_;
  std::unique_ptr<FakeBackend> backend_;
  std::unique_ptr<Controller> controller_;
  uint64_t controllers_ = 0;                        // started so far
  std::map<int64_t, std::string> unreported_ends_;  // guardians that ended on an unreachable host, and how
  std::set<int64_t> to_kill_;                       // guardians to kill as soon as their host is reachable
  Random random_;
  std::function<void(const std::string&)> noted_;
  SimProcesses::Watcher process_watcher_;
  Status refuse_places_;
  Placed placed_;
  bool dying_ = false;
  bool left_ = false;
  bool crash_after_turn_ = false;
  uint64_t lines_to_crash_ = 0;
  Moment crash_moment_ = Moment::before_acting;
  uint64_t hash_ = 14695981039346656037ULL;  // FNV-1a's basis
  std::vector<std::string> trace_;
};

}  // namespace muster::sim
