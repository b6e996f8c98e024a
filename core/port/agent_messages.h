// SPDX-License-Identifier: Apache-2.0
// The messages between coordinator and agent, as values. core/wire converts them to agent.proto and back.
//
// Desired states and reports are levels: each one contains the complete state, so a lost message costs one heartbeat, never a
// job. Both contain the attempt; the channel determines job and incarnation (agent_channel.h).
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/base/rare.h"
#include "core/base/time.h"
#include "core/job/exit_status.h"
#include "core/job/leftover_spec.h"
#include "core/job/node_ports.h"
#include "core/job/rank_phase.h"
#include "core/job/service_program.h"
#include "core/port/exec_messages.h"
#include "core/port/mpi_task.h"
#include "core/port/output_messages.h"
#include "core/port/process_host.h"
#include "core/port/rendezvous_messages.h"
#include "core/port/setup_messages.h"
#include "core/port/store_endpoint.h"
#include "core/port/warm_task.h"
#include "core/rank/finding.h"
#include "core/rank/progress.h"
#include "core/rank/rank_use.h"

namespace muster {

constexpr uint32_t kAgentProtocol = 1;
constexpr Duration kHeartbeat = std::chrono::seconds(1);  // interval of reports
// For backends that may replace a lost node by another (docs/design/liveness.md). An agent whose lease has expired stops its ranks
// with the job's restarts.grace. Its coordinator gives it up after lease, grace and margin. The margin covers different
// clocks, SIGKILL and the sweep.
constexpr Duration kLease = std::chrono::seconds(30);
constexpr Duration kLeaseMargin = std::chrono::seconds(15);

// A coordinator proxy that gets no message from its coordinator for this long ends its ranks at once.
constexpr Duration kCoordinatorTimeout = std::chrono::seconds(8);

struct RankReport {
  uint32_t index = 0;  // into Plan::ranks
  RankPhase phase = RankPhase::starting;
  ExitStatus exit;  // when exited
  int64_t pid = 0;
  TimePoint started;
  TimePoint ended;
  uint64_t dropped_bytes = 0;        // of its output, by logs.max
  std::optional<Progress> progress;  // the last that its program reported
  std::optional<RankFinding> finding;
  Duration silent{0};           // without any activity
  Duration still{0};            // without activity other than CPU time
  Rare<RankLocation> standing;  // the location, with a finding or if DesiredState::examine asks for it
  std::optional<RankUse> use;   // if DesiredState::measure asks for it
  bool operator==(const RankReport&) const = default;
};

// Agent → coordinator. beat: increases with each report. attempt 0: none has begun. quiet: no process of any attempt is alive on
// this node.
struct Report {
  uint64_t beat = 0;
  Attempt attempt = 0;
  bool quiet = true;
  uint16_t meeting_port = 0;  // leased on this node for the next attempt's service (MASTER_PORT); 0: none is available
  PortsByOwner ports;         // likewise, those that Bind::ports requests
  std::vector<RankReport> ranks;
  std::string trouble;  // the newest problem that users should know, such as output that cannot be written; empty: none
  std::string waits;    // the longest open barrier and its missing ranks, if the rendezvous is here; empty: none
  Duration waited{0};   // how long that barrier has been open
  // When the ranks of the attempt had finished their imports: all ranks of the world had connected to the store that is served
  // here, or all ranks of this node had called libmuster. Zero: not yet, or unknown.
  TimePoint met;
  TimePoint importing;          // when a warm parent began the imports of the ranks; zero: none had to
  uint64_t output_left = 0;     // bytes of output that the coordinator has not acknowledged (Bind::sends_output)
  Attempt output_attempt = 0;   // the oldest attempt with such bytes
  SetupReport setup;            // of Bind::setup
  bool taken = false;           // the machine is being taken from the job, so its ranks end
  std::string service_failure;  // why a node service failed after the ranks had started; empty: none did
  bool operator==(const Report&) const = default;
};

// The offer of a host that the user started by hand (muster torchrun on several hosts). Its command, environment and folder stay
// on the host. A coordinator proxy (core/coordinator/proxy) connects its agent to the coordinator.
struct HostOffer {
  std::string run;  // the run's name, the same on all hosts
  uint32_t least_nodes = 1;
  uint32_t most_nodes = 1;
  std::optional<uint32_t> node_rank;  // if the user gave one; nothing: in order of arrival
  uint32_t ranks = 1;
  std::string dialled;  // numeric address at which it reaches the coordinator
  std::string address;  // numeric address at which peers reach it; empty: the one it connects from
  uint64_t lines = 0;   // number of journal lines that it has
  std::string role;     // of its ranks: torchrun --role
  bool operator==(const HostOffer&) const = default;
};

// The identity of a program in a pod (core/job/pod_words.h).
struct PodSelf {
  uint32_t group = 0;  // index of its node's group
  uint32_t index = 0;  // of the node in its group
  std::string uid;
  std::string name;
  std::string address;   // numeric address at which other pods reach it
  std::string machine;   // the node of the cluster that it runs on
  bool verdict = false;  // it is the verdict pod, no agent: it waits for the job's result
  bool operator==(const PodSelf&) const = default;
};

// Agent → coordinator, the first message on every channel. `job` is empty while the agent is unbound. A bound agent that
// reconnects sends its job, node and report.
struct Hello {
  uint32_t protocol = kAgentProtocol;
  std::string binary_hash;
  Incarnation incarnation = 0;
  ProcessIdentity guardian;
  ProcessIdentity process;  // the agent's own
  std::string host;
  JobId job;
  NodeIndex node = 0;
  Report report;
  std::string snapshot;  // its copy of the job's journal (core/journal/kept_journal.h)
  std::optional<HostOffer> offer;
  bool returned = false;  // unbound again after a job
  std::string warm;       // if returned: the program whose imports it keeps warm, "train.py"; empty: none
  std::optional<PodSelf> pod;
  bool operator==(const Hello&) const = default;
};

// From a coordinator proxy, or an agent whose node is drained → coordinator: the node leaves. `stop_job`: a user stopped the job on
// that host.
struct Leave {
  std::string why;
  bool stop_job = false;
  int signal = SIGTERM;  // SIGKILL: at once
  Duration grace{0};
  bool operator==(const Leave&) const = default;
};

// Coordinator → agent, once: binds the agent to this job.
struct Bind {
  JobId job;
  std::string job_name;
  NodeIndex node = 0;
  std::map<std::string, std::string> environment;  // base environment of every rank of this node; may hold secrets
  ProcessSettings settings;                        // of every rank
  std::string workdir;
  bool linger = true;          // false: ends its ranks when the channel is lost (--standalone)
  uint64_t log_max_bytes = 0;  // per rank and stream; 0: no limit
  Duration lease{0};           // 0: none is needed
  Duration lease_grace{0};     // grace of the ranks when the lease has expired
  Duration stop_grace{0};      // grace of the ranks when the machine is taken from the job
  LeftoverSpec leftovers;
  std::string address;  // at which peers reach the node
  // The agent's own environment is the base, and `environment` overrides it: the submitting shell was on another machine.
  bool own_environment = false;
  std::string store_address;       // the agent keeps a store ready at this address for the next attempt; empty: none
  bool sends_output = false;       // output files are on the node, and the agent uploads them (output_messages.h)
  std::optional<SetupTask> setup;  // before ranks start
  PortCounts ports;                // that the agent leases for each attempt, besides the one to meet at
  CallerStreams streams;           // for its ranks
  bool operator==(const Bind&) const = default;
};

struct RankTask {
  uint32_t index = 0;
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // over Bind's
  std::vector<uint32_t> cpus;
  std::vector<std::string> gpus;  // UUIDs
  uint64_t memory_limit_bytes = 0;
  std::string stdout_path;  // with Bind::sends_output relative: "JOB/attempt-2/worker-0.out"
  std::string stderr_path;
  bool tty = false;
  std::vector<std::string> gaps;  // names in `environment` that the host's own override (Bind::own_environment)
  bool shares_cpus = false;       // other processes may use `cpus` too
  std::vector<std::string>
      rank_only;  // names in `environment` that ranks of an mpirun inside must not get (rank_only.h)
  bool operator==(const RankTask&) const = default;
};

// A torch store, or a store proxy, that an agent serves for the ranks of an attempt.
struct StoreTask {
  Endpoint here;                   // its port is the meeting port that the agent reported
  std::optional<Endpoint> there;   // for a store proxy: the store that it forwards to
  std::vector<std::string> peers;  // numeric addresses of the nodes whose ranks may connect
  uint32_t clients = 0;            // number of ranks that will connect; 0 for a store proxy
  bool operator==(const StoreTask&) const = default;
};

// A rank of the job in its rendezvous. It shares keys and barriers with its world.
struct RendezvousMember {
  uint32_t world = 0;
  Rank rank = 0;
  std::string name;  // "rank 3 on node-b"
  bool operator==(const RendezvousMember&) const = default;
};

// Coordinator → agent, repeated. The agent ignores an attempt lower than the last. `tasks` may be left out once the agent has
// reported the attempt.
struct DesiredState {
  Attempt attempt = 0;
  bool run = false;   // false: stop
  Duration grace{0};  // between `signal` and SIGKILL; 0: SIGKILL at once
  int signal = SIGTERM;
  std::vector<RankTask> tasks;
  // With tasks, if all ranks are on this node: its agent serves their rendezvous.
  std::vector<RendezvousMember> members;
  std::optional<StoreTask> store;            // with tasks
  std::optional<WarmTask> warm;              // with tasks
  std::string why;                           // the sentence of a stop
  bool broken = false;                       // the attempt stops because a rank or node was lost
  bool again = false;                        // another attempt follows
  std::string snapshot;                      // the next slice of the journal that the agent keeps
  uint64_t kept = 0;                         // offset of that slice; 0: it replaces the whole copy
  uint64_t heard = 0;                        // the newest beat received from this agent
  bool examine = false;                      // report the location of every rank
  bool measure = false;                      // report what every rank uses
  Duration look_every{0};                    // interval of full samples of a rank; 0: the watchdog's default
  std::optional<MpiTask> mpi;                // with tasks
  std::optional<ServiceProgram> program;     // with tasks
  std::map<std::string, std::string> files;  // with tasks: texts of files, by the variables of ranks that name them
  bool operator==(const DesiredState&) const = default;
};

// Coordinator → agent: input for the terminal of a rank. rows 0: the window size does not change.
struct TtyInput {
  uint32_t index = 0;
  std::string bytes;
  uint16_t rows = 0;
  uint16_t columns = 0;
  bool operator==(const TtyInput&) const = default;
};

// Coordinator → coordinator proxy: lines of the job's journal that the proxy lacks, in order.
struct JournalCopy {
  std::vector<std::string> lines;
  bool operator==(const JournalCopy&) const = default;
};

// Coordinator → agent: the job is over on this node. The agent ends its ranks and leaves.
struct Dismiss {
  std::string why;         // for an agent that was never bound, to print; empty: nothing to print
  bool keep = false;       // reconnect unbound, for the next job
  bool succeeded = false;  // the job succeeded: no host should join again
  bool operator==(const Dismiss&) const = default;
};

// Agent ↔ coordinator: a frame between an exec process and its viewer, which is a rank of the agent's node. `id` is the agent's.
struct PeerExec {
  ExecFrame frame;
  bool operator==(const PeerExec&) const = default;
};

using AgentMessage = std::variant<Hello, Report, RendezvousRequest, Leave, ExecFrame, OutputBytes, PeerExec>;
using CoordinatorMessage =
    std::variant<Bind, DesiredState, TtyInput, RendezvousReply, Dismiss, JournalCopy, ExecFrame, OutputTaken, PeerExec>;

}  // namespace muster
