// What coordinator and agent say to each other, as values. adapter/grpc turns them into agent.proto and back.
//
// Wishes and reports are levels: each repeats the whole truth, so that losing one costs a beat, never a job. Both carry
// the attempt; the channel carries job and incarnation (agent_channel.h).
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
#include "core/job/node_ports.h"
#include "core/job/rank_phase.h"
#include "core/port/exec_messages.h"
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
constexpr Duration kHeartbeat = std::chrono::seconds(1);  // how often a report is repeated
// Where a lost node may be replaced elsewhere (DESIGN.md §5): an agent whose lease ended stops its ranks with the job's
// restarts.grace, and its coordinator gives it up after lease, grace and margin. The margin covers clocks that differ,
// SIGKILL and the sweep.
constexpr Duration kLease = std::chrono::seconds(30);
constexpr Duration kLeaseMargin = std::chrono::seconds(15);

// A coordinator proxy that has heard nothing of its coordinator for this long ends its ranks at once.
constexpr Duration kCoordinatorTimeout = std::chrono::seconds(8);

struct RankReport {
  uint32_t index = 0;  // into Plan::ranks
  RankPhase phase = RankPhase::starting;
  ExitStatus exit;  // when exited
  int64_t pid = 0;
  TimePoint started;
  TimePoint ended;
  uint64_t dropped_bytes = 0;        // of its output, by logs.max
  std::optional<Progress> progress;  // the newest that its program told
  std::optional<RankFinding> finding;
  Duration silent{0};           // without any sign of life …
  Duration still{0};            // … and without one other than CPU time
  Rare<RankLocation> standing;  // of a finding, or once asked by DesiredState::examine
  std::optional<RankUse> use;   // once asked by DesiredState::measure
  bool operator==(const RankReport&) const = default;
};

// Agent → coordinator. beat: rises with each. attempt 0: none begun. quiet: no process of any attempt is alive on this
// node.
struct Report {
  uint64_t beat = 0;
  Attempt attempt = 0;
  bool quiet = true;
  uint16_t spare_port = 0;  // leased on this node for the next attempt's service (MASTER_PORT); 0: none to be had
  PortsByOwner ports;       // likewise, of Bind::ports
  std::vector<RankReport> ranks;
  std::string trouble;  // the newest that people should know of: output that cannot be kept; empty: none
  std::string waits;    // the barrier under way longest and who has not come, where its rendezvous is here; empty: none
  Duration waited{0};   // for so long
  // When the ranks of the attempt were seen past their imports: all of its world had come to the store that is served
  // here, or all of this node had asked or told something. Zero: not yet, or nobody can tell.
  TimePoint met;
  TimePoint importing;         // when a warm parent began to import what they need; zero: none had to
  uint64_t output_left = 0;    // bytes of its ranks that the coordinator has not said to have (Bind::sends_output) …
  Attempt output_attempt = 0;  // … and the oldest attempt of which there are any
  SetupReport setup;           // of Bind::setup
  bool taken = false;          // the machine is taken from the job, and its ranks end therefore
  bool operator==(const Report&) const = default;
};

// What a host brings whose part of the job was typed there by hand (muster torchrun on several hosts): its own command,
// environment and folder, which never travel. A coordinator proxy (runtime/proxy.h) stands between its agent and the coordinator.
struct HostOffer {
  std::string run;  // the name that all hosts typed
  uint32_t least_nodes = 1;
  uint32_t most_nodes = 1;
  std::optional<uint32_t> node_rank;  // where it was typed; nothing: by arrival
  uint32_t ranks = 1;
  std::string dialled;  // the numeric address at which it reaches the coordinator
  std::string address;  // the numeric one at which it is to be reached; empty: that it comes from
  uint64_t lines = 0;   // of the journal that it has
  bool operator==(const HostOffer&) const = default;
};

// What a program in a pod is (model/pod_words.h).
struct PodSelf {
  uint32_t group = 0;  // its node's, by its place in the job
  uint32_t index = 0;  // of the node in its group
  std::string uid;
  std::string name;
  std::string address;   // numeric, at which other pods reach it
  std::string machine;   // that it lies on
  bool verdict = false;  // no agent: it wants to hear how the job ended
  bool operator==(const PodSelf&) const = default;
};

// Agent → coordinator, first on every channel. `job` is empty while unbound; a bound agent that dials again says what
// it is bound to and how things stand.
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
  std::string snapshot;  // what it keeps of the job's journal (runtime/kept_journal.h)
  std::optional<HostOffer> offer;
  bool returned = false;  // unbound again after a job
  std::string warm;       // of such a one: what it keeps warm for the next, "train.py"; empty: nothing
  std::optional<PodSelf> pod;
  bool operator==(const Hello&) const = default;
};

// CoordinatorProxy, or an agent whose node is drained → coordinator: its node leaves; with `stop_job` because a person stops the job there.
struct Leave {
  std::string why;
  bool stop_job = false;
  int signal = SIGTERM;  // SIGKILL: at once
  Duration grace{0};
  bool operator==(const Leave&) const = default;
};

// Coordinator → agent, once: from here on the agent belongs to this job.
struct Bind {
  JobId job;
  std::string job_name;
  NodeIndex node = 0;
  std::map<std::string, std::string> environment;  // what every rank of this node gets first; may hold secrets
  ProcessSettings settings;                        // of every rank
  std::string workdir;
  bool linger = true;          // false: ends its ranks when the channel is lost (--standalone)
  uint64_t log_max_bytes = 0;  // per rank and stream; 0: no limit
  Duration lease{0};           // 0: none is needed
  Duration lease_grace{0};     // of the ranks when it has ended
  Duration stop_grace{0};      // likewise when the machine is taken from the job
  std::string address;         // at which peers reach the node
  bool own_environment =
      false;  // ranks begin with the agent's, over which `environment` lies: another machine's shell is not theirs
  std::string store_address;       // the agent keeps a store ready here, for the next attempt; empty: none
  bool sends_output = false;       // what ranks print lies on the node, and is sent (output_messages.h)
  std::optional<SetupTask> setup;  // before ranks begin
  PortCounts ports;                // that the agent holds for each attempt, beside the spare one
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
  std::vector<std::string> gaps;  // names in `environment` that give way to the host's own (Bind::own_environment)
  bool shares_cpus = false;       // it is bound to them beside others, whom nobody keeps off
  bool operator==(const RankTask&) const = default;
};

// A store that an agent serves for the ranks of an attempt.
struct StoreTask {
  Endpoint here;                   // its port is the spare one that the agent reported
  std::optional<Endpoint> there;   // it is a front end to this store
  std::vector<std::string> peers;  // numeric addresses of the nodes whose ranks may come
  uint32_t clients = 0;            // how many ranks will; 0: of a front end
  bool operator==(const StoreTask&) const = default;
};

// A rank of the job at its rendezvous: keys and barriers are those of its world.
struct RendezvousMember {
  uint32_t world = 0;
  Rank rank = 0;
  std::string name;  // "rank 3 on node-b"
  bool operator==(const RendezvousMember&) const = default;
};

// Coordinator → agent, repeated. An attempt below one already seen is dropped. `tasks` may be left out once the
// agent has reported the attempt.
struct DesiredState {
  Attempt attempt = 0;
  bool run = false;   // false: stop
  Duration grace{0};  // between `signal` and SIGKILL; 0: SIGKILL at once
  int signal = SIGTERM;
  std::vector<RankTask> tasks;
  std::vector<RendezvousMember>
      members;                     // with tasks, where all ranks are on this node: its agent holds their rendezvous
  std::optional<StoreTask> store;  // with tasks
  std::optional<WarmTask> warm;    // with tasks
  std::string why;                 // the sentence of a stop
  bool broken = false;             // the stop is for a rank or node that was lost
  bool again = false;              // another attempt follows
  std::string snapshot;            // the next slice of the journal that it keeps …
  uint64_t kept = 0;               // … behind so many bytes; 0: in place of all that it keeps
  uint64_t heard = 0;              // the newest beat of this agent
  bool examine = false;            // where every rank stands is to be told
  bool measure = false;            // what every rank uses is to be told
  Duration look_every{0};          // between thorough looks at a rank; 0: as the watch likes
  bool operator==(const DesiredState&) const = default;
};

// Coordinator → agent: typed at a tty rank. rows 0: no change of the window.
struct TtyInput {
  uint32_t index = 0;
  std::string bytes;
  uint16_t rows = 0;
  uint16_t columns = 0;
  bool operator==(const TtyInput&) const = default;
};

// Coordinator → coordinator proxy: lines of the job's journal that it has not yet, in their order.
struct JournalCopy {
  std::vector<std::string> lines;
  bool operator==(const JournalCopy&) const = default;
};

// Coordinator → agent: the job is over here; end your ranks and leave.
struct Dismiss {
  std::string why;         // of one that was never bound; empty: nobody need be told
  bool keep = false;       // come back unbound, for the next job
  bool succeeded = false;  // the job has: nobody is to come again
  bool operator==(const Dismiss&) const = default;
};

using AgentMessage = std::variant<Hello, Report, RendezvousRequest, Leave, ExecFrame, OutputBytes>;
using CoordinatorMessage =
    std::variant<Bind, DesiredState, TtyInput, RendezvousReply, Dismiss, JournalCopy, ExecFrame, OutputTaken>;

}  // namespace muster
