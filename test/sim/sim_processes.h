// The processes of a simulated world: what runs where, scripted by the test. SimProcessHost is one agent's ProcessHost
// over it.
//
// A rank is told apart by its environment, as a real one is. The table knows every process alive, which is what
// invariants are about.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/port/loop.h"
#include "core/port/process_host.h"
#include "test/sim/sim_host.h"

namespace muster::sim {

// What was started: read from its request.
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

// How it behaves.
struct Program {
  Duration runs = std::chrono::seconds(10);  // then it ends with `exit`
  ExitStatus exit;
  bool ignores_term = false;
  Duration dies_slowly{0};  // from SIGTERM to its end
  uint32_t daemons = 0;     // left behind when it ends, until swept
  Status spawn;             // not ok: it cannot be started
};
using Script = std::function<Program(const Launch&)>;

ExitStatus exited_with(int code);
ExitStatus killed_by(int signal);

class SimProcesses {
 public:
  struct Process {
    Launch launch;
    Program program;
    uint64_t agent = 0;  // whose it is
    SimHost* host = nullptr;
    std::string stdout_path;
    TimePoint started;  // true time
    bool daemon = false;
    ExitHandler on_exit;
    TimerId end = 0;  // of its run, or of its slow death
    std::vector<int> signals;
  };

  void script(Script script) { script_ = std::move(script); }
  // Told of "spawn", "exit" and "swept", for traces.
  using Watcher = std::function<void(const std::string& what, ProcessHandle, const Process&)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

  Result<ProcessHandle> spawn(uint64_t agent, SimHost& host, const SpawnRequest& request, ExitHandler on_exit);
  void signal(ProcessHandle process, int number);
  // A process ends by itself, whatever its script says.
  void end(ProcessHandle process, const ExitStatus& exit);
  // Every daemon of the agent, or everything it has.
  uint32_t sweep(uint64_t agent, bool daemons_only);

  const std::map<ProcessHandle, Process>& alive() const { return alive_; }
  // Ever started, by (job, attempt, rank).
  const std::map<std::string, uint32_t>& started() const { return started_; }
  const std::vector<Launch>& launches() const { return launches_; }
  const std::vector<int>& signals_of(ProcessHandle process) const;

 private:
  void tell(const std::string& what, ProcessHandle handle, const Process& process) const;

  Script script_ = [](const Launch&) { return Program{}; };
  Watcher watcher_;
  ProcessHandle last_ = 1000;
  std::map<ProcessHandle, Process> alive_;
  std::map<std::string, uint32_t> started_;
  std::vector<Launch> launches_;
  std::map<ProcessHandle, std::vector<int>> signals_;
};

class SimProcessHost final : public ProcessHost {
 public:
  SimProcessHost(std::shared_ptr<HostLoop> loop, SimProcesses& processes, SimHost& host, uint64_t agent)
      : loop_(std::move(loop)),
        processes_(processes),
        host_(host),
        agent_(agent) {}

  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) override;
  Result<ProcessHandle> adopt(const ProcessIdentity&, ExitHandler) override {
    return Status(Code::not_found, "agents adopt nobody");
  }
  ProcessIdentity identity(ProcessHandle process) const override { return {static_cast<int64_t>(process), 1}; }
  void signal(ProcessHandle process, int number) override { processes_.signal(process, number); }
  void sweep(std::function<void(uint32_t)> done) override;
  // Nothing outlives its agent here (SimAgents).
  void end_marked(const std::vector<std::string>&, std::function<void()> done) override {
    loop_->post(std::move(done));
  }
  void write_tty(ProcessHandle, std::string_view) override {}
  void resize_tty(ProcessHandle, uint16_t, uint16_t) override {}

 private:
  std::shared_ptr<HostLoop> loop_;
  SimProcesses& processes_;
  SimHost& host_;
  const uint64_t agent_;
};

}  // namespace muster::sim
