// SPDX-License-Identifier: Apache-2.0
// The processes of a simulated world, scripted by the test. SimProcessHost is the ProcessHost of one agent.
//
// A rank is identified by its environment, as a real one is. The table contains every live process, for the invariants.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/port/leftover_host.h"
#include "core/port/loop.h"
#include "core/port/process_host.h"
#include "test/sim/sim_host.h"

namespace muster::sim {

// A started process, described by its request.
struct Launch {
  std::string job;
  std::string job_id;
  Attempt attempt = 0;
  uint32_t index = 0;  // into the plan
  std::string group;
  Rank rank = 0;  // in its world
  uint32_t world_size = 0;
  NodeIndex node = 0;
  std::map<std::string, std::string> environment;
  ProcessSettings settings;
};

// The behaviour of a process.
struct Program {
  Duration runs = std::chrono::seconds(10);  // then it ends with `exit`
  ExitStatus exit;
  bool ignores_term = false;
  Duration dies_slowly{0};   // from SIGTERM to its end
  uint32_t daemons = 0;      // processes with sessions of their own that remain when it ends, until a signal ends them
  bool daemons_hold = true;  // they have a port
  Status spawn;              // not ok: it cannot be started
};
using Script = std::function<Program(const Launch&)>;

ExitStatus exited_with(int code);
ExitStatus killed_by(int signal);

class SimProcesses {
 public:
  struct Process {
    Launch launch;
    Program program;
    uint64_t agent = 0;  // its agent
    SimHost* host = nullptr;
    std::string stdout_path;
    TimePoint started;  // true time
    bool daemon = false;
    ExitHandler on_exit;
    TimerId end = 0;  // timer of its end
    std::vector<int> signals;
  };

  void script(Script script) { script_ = std::move(script); }
  // Gets "spawn", "exit" and "swept", for traces.
  using Watcher = std::function<void(const std::string& what, ProcessHandle, const Process&)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

  Result<ProcessHandle> spawn(uint64_t agent, SimHost& host, const SpawnRequest& request, ExitHandler on_exit);
  void signal(ProcessHandle process, int number);
  // A process ends by itself, regardless of its script.
  void end(ProcessHandle process, const ExitStatus& exit);
  // Ends all daemons of the agent except `spared`.
  uint32_t sweep(uint64_t agent, const std::set<int64_t>& spared);
  // Ends all processes of the agent.
  void end_all(uint64_t agent);
  // `handler` is called when a daemon of the agent ends by a signal; null: none.
  void on_daemon_end(uint64_t agent, std::function<void()> handler);

  const std::map<ProcessHandle, Process>& alive() const { return alive_; }
  // Number of starts by (job, attempt, rank).
  const std::map<std::string, uint32_t>& started() const { return started_; }
  const std::vector<Launch>& launches() const { return launches_; }
  const std::vector<int>& signals_of(ProcessHandle process) const;

 private:
  void tell(const std::string& what, ProcessHandle handle, const Process& process) const;
  template <typename Ends>
  uint32_t end_if(Ends ends);

  Script script_ = [](const Launch&) { return Program{}; };
  Watcher watcher_;
  ProcessHandle last_ = 1000;
  std::map<ProcessHandle, Process> alive_;
  std::map<std::string, uint32_t> started_;
  std::vector<Launch> launches_;
  std::map<ProcessHandle, std::vector<int>> signals_;
  std::map<uint64_t, std::function<void()>> daemon_ended_;  // by agent
};

class SimProcessHost final : public ProcessHost, public LeftoverHost {
 public:
  SimProcessHost(std::shared_ptr<HostLoop> loop, SimProcesses& processes, SimHost& host, uint64_t agent)
      : loop_(std::move(loop)),
        processes_(processes),
        host_(host),
        agent_(agent) {}

  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) override;
  Result<ProcessHandle> adopt(const ProcessIdentity&, ExitHandler) override {
    return Status(Code::not_found, "agents adopt no process");
  }
  ProcessIdentity identity(ProcessHandle process) const override { return {static_cast<int64_t>(process), 1}; }
  void signal(ProcessHandle process, int number, SignalReach) override { processes_.signal(process, number); }
  void sweep(const std::set<int64_t>& spared, std::function<void(uint32_t)> done) override;
  // In simulations no process outlives its agent (SimAgents).
  void end_marked(const std::vector<std::string>&, std::function<void()> done) override {
    loop_->post(std::move(done));
  }
  void write_tty(ProcessHandle, std::string_view) override {}
  void resize_tty(ProcessHandle, uint16_t, uint16_t) override {}
  std::vector<Leftover> leftovers() override;
  bool sees_processes() override { return true; }
  bool reads_from_another(const Leftover&, const std::vector<Leftover>&) override { return false; }
  LeftoverOrigin origin(const Leftover& leftover) override;
  bool holds_device_or_port(const Leftover& leftover) override;
  void signal(const Leftover& leftover, int number) override {
    processes_.signal(static_cast<ProcessHandle>(leftover.identity.pid), number);
  }
  void on_child_end(std::function<void()> handler) override;

 private:
  std::shared_ptr<HostLoop> loop_;
  SimProcesses& processes_;
  SimHost& host_;
  const uint64_t agent_;
};

}  // namespace muster::sim
