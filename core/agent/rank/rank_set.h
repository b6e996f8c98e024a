// SPDX-License-Identifier: Apache-2.0
// RankSet: the rank processes of one attempt on this node. Each has a worker state machine (core/machine/worker), whose actions
// are performed on a ProcessHost.
//
// quiet() means that no process of the attempt is alive, including most processes that the ranks have left (Leftovers). Loop thread
// only. The owner stops the set and waits for quiet() before it destroys it, since its processes must have ended.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/rank/leftovers.h"
#include "core/agent/rank/parked_ranks.h"
#include "core/machine/worker/worker.h"
#include "core/port/agent_messages.h"
#include "core/port/loop.h"
#include "core/port/node_service.h"
#include "core/port/output_files.h"
#include "core/port/process_host.h"

namespace muster {

struct RankSetPorts {
  Loop& loop;
  ProcessHost& host;
  OutputFiles& output;
  Leftovers& leftovers;                             // its attempt has begun
  std::function<void(const std::string&)> trouble;  // with a new problem of output; empty: it is over
  std::function<RankFault(uint32_t index, const ExitStatus& exit)> fault = {};  // NodeServices::fault()
};

// Settings with which every rank of a node starts. Values in its task override these.
struct RankStart {
  std::map<std::string, std::string> environment;
  std::string workdir;
  ProcessSettings settings;
  std::string
      host;  // this host, if the job was submitted on another one, which may have other folders; otherwise empty
  std::string venv;  // the virtual environment of the ranks; empty: none
  std::optional<CallerWindow> window;
  std::shared_ptr<RankInput> input;                           // null: stdin is empty
  std::shared_ptr<const ContainerEntry> container = nullptr;  // in which the ranks run; null: on the host
};

class RankSet {
 public:
  // `changed` is called when the report would differ.
  RankSet(RankSetPorts ports, RankStart start, std::vector<RankTask> tasks, std::function<void()> changed);
  ~RankSet();

  // How start() would spawn each rank, also one that is a running process already.
  std::vector<SpawnRequest> requests() const;
  // `refusal`: why no rank may start, such as devices that another job holds; empty: they may.
  void start(const std::string& refusal);
  // Call it before start(): the rank is this running process, not a new one. `answer` is called with its new place at the start.
  void adopt(uint32_t index, RankProcess process, WorkerListener::Answer answer);
  // Call it before start(): adds variables of a node service to the rank, and a descriptor (SpawnRequest::passed). Variables that
  // its task sets are not changed.
  void give(uint32_t index, const std::map<std::string, std::string>& environment, int descriptor = -1);
  // Takes the rank's process out of this attempt, in which the rank then counts as ended. Empty: there is no process.
  std::optional<RankProcess> depart(uint32_t index);
  void stop(const worker::Stop& stop);  // may be called repeatedly, also with a shorter grace
  // Like stop(), but because the node is drained, or because a node service has failed. A rank that then exits with 0 has not
  // succeeded: its exit is reported as SIGTERM, with `why`.
  struct Drain {
    Duration grace{0};
    std::string why;
    bool service_failed = false;
  };
  void drain(const Drain& drain);
  void type(const TtyInput& typed);

  // A timer of a running rank has expired: sends it `signal`. If the rank ends by it, `why` is the detail of
  // its exit.
  void expire(uint32_t index, int signal, const std::string& why);

  // A running rank has asked for its end: kills its processes. NodeService::fault() then says why it ended.
  void kill(uint32_t index);

  // The running ranks, for RankWatch.
  struct Running {
    uint32_t index = 0;
    int64_t pid = 0;
    std::vector<std::string> outputs;
  };
  std::vector<Running> running() const;
  // The exception whose traceback is near the end of the rank's stderr: "ValueError: bad at train.py:9". Empty: there is none.
  std::string printed_exception(uint32_t index) const;
  // How to start an exec process like this rank, and beside which process. not_found: the rank is not on this node.
  // unavailable: it has not started. failed_precondition: its attempt has ended. The rank's place in an MPI world, the descriptor of a node
  // service included, is not passed on.
  struct Beside {
    SpawnRequest spawn;
    ProcessHandle rank = 0;  // 0: it shares no rank's cgroup
  };
  // `whole_node`: with the CPUs, GPUs and memory of all ranks here, for a launcher of other ranks.
  Result<Beside> beside(uint32_t index, bool whole_node = false) const;
  static Status not_started();  // as beside() returns it
  // Sends SIGCONT to the rank.
  void resume(uint32_t index);

  // Call it when Leftovers has changed.
  void settle() { sweep_when_over(); }
  // All ranks have ended.
  bool over() const;
  // No process of the attempt is alive either, except leftovers that may run beside the next one.
  bool quiet() const { return quiet_; }
  std::vector<RankReport> report() const;

 private:
  struct Rank {
    RankTask task;
    worker::State state;
    RankProcess process;
    bool adopted = false;
    WorkerListener::Answer rejoin;  // of an adopted rank, until it was told its place
    TimerId timer = 0;
    int expired_signal = 0;  // the signal that it got because a timer of its own expired
    std::string expired;     // the reason in words
  };

  void happen(uint32_t index, const worker::Event& event);
  void act(uint32_t index, const worker::Spawn& action);
  void act(uint32_t index, const worker::Signal& action);
  void act(uint32_t index, const worker::ArmTimer& action);
  void act(uint32_t index, const worker::Changed& action);
  Status spawn(uint32_t index);
  OutputWaits listener(uint32_t index);
  void tell_place(Rank& rank) const;
  SpawnRequest request_of(const RankTask& task) const;
  RankTask with_all_devices(RankTask task) const;
  void exited(uint32_t index, ExitStatus exit);
  // Adds the failure message, the fault that a node service knows, or the timer that ended it.
  void explain(const Rank& rank, const std::string& fault, ExitStatus& exit) const;
  void sweep_when_over();

  RankSetPorts ports_;
  const RankStart start_;
  std::function<void()> changed_;
  std::map<uint32_t, Rank> ranks_;  // by plan index
  std::map<uint32_t, int> passed_;  // descriptors of node services, by plan index
  std::string refusal_;
  std::optional<Drain> drained_;
  bool quiet_ = true;
  bool sweeping_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
