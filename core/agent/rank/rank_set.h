// RankSet: the worker processes of one attempt on this node: a worker machine each, carried out over a ProcessHost.
//
// Quiet means that no process of the attempt is alive, what its ranks left behind included. Loop thread only. The set
// outlives no process it started: its owner stops it and waits for quiet before letting it go.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/rank/parked_ranks.h"
#include "core/machine/worker/worker.h"
#include "core/port/agent_messages.h"
#include "core/port/loop.h"
#include "core/port/output_files.h"
#include "core/port/process_host.h"

namespace muster {

struct RankSetPorts {
  Loop& loop;
  ProcessHost& host;
  OutputFiles& output;
};

// What every rank of a node starts from; its task comes over it.
struct RankStart {
  std::map<std::string, std::string> environment;
  std::string workdir;
  ProcessSettings settings;
  std::string host;  // where its folder has to be brought first; empty: the job was submitted here
  std::string venv;  // they run in it; empty: none
};

class RankSet {
 public:
  // `start` is what every rank starts from; `changed` runs when a report would differ.
  RankSet(RankSetPorts ports, RankStart start, std::vector<RankTask> tasks, std::function<void()> changed);
  ~RankSet();

  // What start() will spawn.
  std::vector<SpawnRequest> requests() const;
  // `refusal`: why no rank may start (devices held by somebody else); empty: they may.
  void start(const std::string& refusal);
  // Before start(): this process, which is there already, is the rank. `answer` is told its new place at the start.
  void member(uint32_t index, RankProcess process, WorkerListener::Answer answer);
  // Before start(): what a service gives the rank. Variables that its task sets stay as they are.
  void give(uint32_t index, const std::map<std::string, std::string>& environment);
  // The rank's process, which stays for another attempt; of this one it has ended. Nothing: there is no process.
  std::optional<RankProcess> depart(uint32_t index);
  void stop(const worker::Stop& stop);  // repeated and shortened freely
  // The same, but not by the coordinator's desired state: a rank that exits 0 because of it has not succeeded, for the reason
  // given.
  void drain(Duration grace, const std::string& why);
  void type(const TtyInput& typed);

  // A timer of a rank that runs is over: its group gets `signal`, and when it ends of that, `why` says so.
  void expire(uint32_t index, int signal, const std::string& why);

  // Those that run, as a watch looks at them.
  struct Running {
    uint32_t index = 0;
    int64_t pid = 0;
    std::vector<std::string> outputs;
  };
  std::vector<Running> running() const;
  // How a program starts as this rank did, and beside which process; not_found: no such rank here, failed_precondition: its
  // attempt has ended.
  struct Beside {
    SpawnRequest spawn;
    ProcessHandle rank = 0;
  };
  Result<Beside> beside(uint32_t index) const;
  // One that was stopped by a signal goes on, to hear of its end.
  void resume(uint32_t index);

  bool quiet() const { return quiet_; }
  std::vector<RankReport> report() const;

 private:
  struct Rank {
    RankTask task;
    worker::State state;
    RankProcess process;
    bool seated = false;
    WorkerListener::Answer member;  // of a seated rank, until it is told its place
    TimerId timer = 0;
    int expired_signal = 0;  // what it got because a timer of its own was over
    std::string expired;     // why
  };

  void happen(uint32_t index, const worker::Event& event);
  void act(uint32_t index, const worker::Spawn& action);
  void act(uint32_t index, const worker::Signal& action);
  void act(uint32_t index, const worker::ArmTimer& action);
  void act(uint32_t index, const worker::Changed& action);
  Status spawn(uint32_t index);
  void tell_place(Rank& rank) const;
  SpawnRequest request_of(const RankTask& task) const;
  void exited(uint32_t index, ExitStatus exit);
  void explain(const Rank& rank, ExitStatus& exit) const;  // what it said last, or why its timer ended it
  void sweep_when_over();

  RankSetPorts ports_;
  const RankStart start_;
  std::function<void()> changed_;
  std::map<uint32_t, Rank> ranks_;  // by plan index
  std::string refusal_;
  std::string drained_;
  bool quiet_ = true;
  bool sweeping_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
