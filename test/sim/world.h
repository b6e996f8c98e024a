// World: a controller, its store and its agents on one simulated machine. A test scripts what programs do, lets time pass, breaks things, and looks at
// what came of it. The same options and calls give the same run: `hash()` says so.
//
// The basis of simulations with faults from a seed. Everything of muster in it is real but ports.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/testing/fake_backend.h"
#include "core/runtime/controller.h"
#include "test/sim/invariants.h"
#include "test/sim/sim_agents.h"
#include "test/sim/sim_loop.h"
#include "test/sim/sim_store.h"

namespace muster::sim {

struct WorldOptions {
  uint64_t seed = 1;
  uint32_t gpus = 8;
  bool linger = true;
  Duration idle{0};
  bool keep_trace = false;
};

// A job of `nodes` × `workers` ranks that is restarted at most `limit` times.
JobSpec job_spec(const std::string& name, uint32_t nodes = 1, uint32_t workers = 1, uint32_t limit = 0);

class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();

  SimLoop loop;
  SimProcesses processes{loop};
  SimStore store;
  SimOutput output;
  SimKeeper keeper{output};
  SimLeases leases;
  SimLog log;
  SimNetwork network;
  SimAgents agents;

  // What every submit has of its shell, secrets aside.
  std::map<std::string, std::string> shell_environment;
  ProcessSettings shell_settings;

  // A controller process starts and takes over what the store holds.
  void start_controller();
  // It dies: nothing that it still does in this turn has an effect.
  void crash_controller();
  // It dies when so many lines have been written to journals from now on: with the line written and nothing done about it, or at the end of
  // that turn.
  enum class Moment { before_acting, after_acting };
  void crash_at_line(uint64_t line, Moment moment);
  bool has_controller() const { return controller_ != nullptr && !dying_; }
  bool controller_left() const { return left_; }  // by itself
  Controller& controller() { return *controller_; }
  // The host of controller and store goes down; agents live on.
  void lose_controller_host();
  // Agents are the test's own from now on: told of each placement, it gives the guardian by which one will say hello.
  using Placed = std::function<int64_t(const NodeRef& node)>;
  void play_agents(Placed placed) { placed_ = std::move(placed); }
  // No new agents: placing fails with this.
  void refuse_places(const Status& status) { refuse_places_ = status; }

  Result<JobView> submit(const JobSpec& spec, const std::string& submit_key = "");
  JobView view(const std::string& job);
  // From the journal alone.
  JobView view_from_journal(const JobId& job) const;
  bool run_until_view(const std::string& job, const std::function<bool(const JobView&)>& holds, Duration limit);
  bool run_until_done(const std::string& job, Duration limit = std::chrono::minutes(10));
  bool run_until_state(const std::string& job, const std::string& state, Duration limit = std::chrono::minutes(10));

  const std::vector<std::string>& breaches() const { return invariants_.breaches(); }
  uint64_t hash() const { return hash_; }
  const std::vector<std::string>& trace() const { return trace_; }
  void note(const std::string& what);

 private:
  void agent_ended(int64_t guardian, const std::string& how);
  void line_written(std::string_view line);
  void end_of_turn();
  void bury_controller();

  const WorldOptions options_;
  Invariants invariants_;
  std::unique_ptr<FakeBackend> backend_;
  std::unique_ptr<Controller> controller_;
  Random random_;
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
