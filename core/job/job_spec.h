// JobSpec: what the user asked for, as plain values. Not yet placed on nodes (plan.h), not validated by itself
// (validate.h), not tied to a file format (job_yaml.h).
//
// Every default below is the one a user gets who leaves the key out. Values: copy, compare.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/job/kubernetes_spec.h"

namespace muster {

enum class Framework { plain, torch, lightning, accelerate, deepspeed, custom };
enum class BackendKind { local, ssh, kubernetes };

// Where a secret's value comes from. It is resolved on the submitting machine, when the job is submitted, and never
// written to spec, journal or log.
struct SecretSource {
  enum class Kind { env, file, cmd };
  Kind kind = Kind::env;
  std::string where;      // a variable's name, a path, or a command line split at blanks (no shell)
  bool optional = false;  // absent: the variable is left unset instead of failing the submit
  bool operator==(const SecretSource&) const = default;
};

// One variable of a worker: a literal, or a reference to a secret.
struct EnvValue {
  std::string literal;
  std::optional<SecretSource> secret;
  bool operator==(const EnvValue&) const = default;
};

// A count that may follow the machine: `auto` is one per visible GPU (workers: else 1; gpus: else 0).
struct AutoCount {
  bool automatic = false;
  uint32_t count = 0;
  bool operator==(const AutoCount&) const = default;
};

// What one worker needs. cpus 0 and memory 0: not limited, not reserved.
struct WorkerNeeds {
  AutoCount gpus{true, 0};
  uint32_t cpus = 0;
  uint64_t memory_bytes = 0;
  bool operator==(const WorkerNeeds&) const = default;
};

// When a group has done its part. all: every rank exited 0. any: one rank exited 0, the rest are then stopped.
// ignore: the group never fails the job and never holds its end up.
enum class SuccessRule { all, any, ignore };

struct GroupSpec {
  std::string name = "worker";
  uint32_t min_nodes = 1;
  uint32_t max_nodes = 1;
  AutoCount workers{false, 1};  // per node
  WorkerNeeds worker;
  std::vector<std::string> command;
  std::map<std::string, EnvValue> env;  // over the job's
  SuccessRule success = SuccessRule::all;
  std::string label;  // of the hosts it takes; empty: any
  GroupPods kubernetes;
  bool operator==(const GroupSpec&) const = default;
};

// own: each group's ranks are 0..n-1. shared: one world over all groups, in file order (MPI's MPMD).
enum class World { own, shared };

// Which failures of an attempt are meant: `exit 2`, `SIGBUS`, `oom`, `exception RuntimeError`, `message ECC error`, `lost`,
// `hang`; each also of one group only, `group trainer exit 2`, and `group trainer` for every failure there.
struct FailureRule {
  // exception: the name of a Python exception, with or without its module. message: a part of what the failed rank said
  // last, `*` standing for anything. lost: a node. hang: a rank or the gang was ended because it stood still.
  enum class Kind { exit_code, signal, oom, exception, message, lost, hang, any };
  Kind kind = Kind::exit_code;
  int number = 0;     // the exit code or signal number
  std::string text;   // of exception and message
  std::string group;  // empty: of every group
  bool operator==(const FailureRule&) const = default;
};

// Whom a failed rank takes with it into the next attempt. gang: every rank of the job. group: those of its group, the others go
// on. none: nobody; the others go on to their end, and the job has failed then.
enum class RestartMode { gang, group, none };

struct RestartSpec {
  RestartMode mode = RestartMode::gang;
  uint32_t limit = 0;        // restarts, so limit + 1 attempts
  Duration window{0};        // only restarts of so long ago count against the limit; 0: all
  uint32_t crash_loop = 10;  // so many attempts in a row that soon fail in one way are enough; 0: never
  Duration first_backoff{0};
  Duration min_backoff = std::chrono::seconds(1);   // doubles from here …
  Duration max_backoff = std::chrono::seconds(60);  // … up to here
  Duration grace = std::chrono::seconds(2);         // what survivors get between SIGTERM and SIGKILL
  std::vector<FailureRule> never_on;
  std::vector<FailureRule> always_on;  // restarts that do not count against the limit; never_on wins
  bool operator==(const RestartSpec&) const = default;
};

// What follows where ranks are found stopped or hung. report: it is told, with where they stand. dump: with where every
// rank of the gang stands. restart: the same, and it counts as a failure of the attempt.
enum class HangAction { report, dump, restart };

struct HangSpec {
  HangAction action = HangAction::report;
  Duration after = std::chrono::minutes(10);  // without a step and without a sign of life, of all ranks; 0: never
  bool even_without_steps = false;            // also for a program that tells no steps: silence is a hang
  bool operator==(const HangSpec&) const = default;
};

// A host that the job may use (backend ssh), as the user named it.
struct HostSpec {
  std::string name;     // what ssh is given: "a1", "user@a1"
  uint32_t slots = 0;   // ranks it takes; 0: as many as it holds
  std::string address;  // numeric, or the NIC whose address it is, at which its peers reach it; empty: chosen
  std::map<std::string, std::string> env;  // of its ranks, over the job's
  std::string scratch;                     // an absolute folder there, its ranks' TMPDIR; empty: the host's own
  std::string label;                       // the user's word for its kind, which groups may ask for
  uint32_t weight = 1;                     // where not all hosts are needed the heavier go first
  bool operator==(const HostSpec&) const = default;
};

// How ranks are numbered over hosts. block: all of a host, then those of the next. cyclic: one of each host in turn.
enum class Placement { block, cyclic };

// 0: no limit.
struct TimeoutSpec {
  Duration queue{0};
  Duration start = std::chrono::minutes(5);  // from placing to all ranks running
  Duration setup = std::chrono::hours(1);    // of `setup` on all nodes; `start` begins anew behind it
  Duration run{0};                           // from the first attempt's start
  Duration stop = std::chrono::seconds(30);  // between SIGTERM and SIGKILL when the user stops the job
  bool operator==(const TimeoutSpec&) const = default;
};

// Who serves the store in which torch's ranks meet. hosted: the agent of a world's first node, anew in each attempt.
// proxy: the same, and the agent of every other node a front end to it. program: rank 0 itself, at a port that is
// leased for it.
enum class StoreHost { hosted, proxy, program };

// How a program learns its local rank: from LOCAL_RANK alone, or from the argument --local_rank=N as well. automatic:
// as the framework's own launcher does.
enum class LocalRankForm { automatic, env, argument };

// To which CPUs a rank is bound beside its GPU: all of its NUMA node or socket, its share of the node's cores, or the
// cores that share one last cache. As torchrun --numa-binding.
enum class NumaBinding { none, node, socket, exclusive, core_complex };

// What becomes of a GPU that a process outside muster computes on. wait: nobody is given it. take: it is given all the same.
enum class BusyGpus { wait, take };

// For torch and the frameworks on top of it.
struct TorchSpec {
  std::string run_id;               // TORCHELASTIC_RUN_ID; empty: the job's id
  std::string role;                 // ROLE_NAME; empty: the group's name
  bool virtual_local_rank = false;  // every rank sees its own GPUs only and has LOCAL_RANK 0
  bool macros = false;              // ${local_rank} in the command stands for the rank's own, as under torchrun
  LocalRankForm local_rank = LocalRankForm::automatic;
  NumaBinding numa_binding = NumaBinding::none;
  bool operator==(const TorchSpec&) const = default;
};

// Whether ranks of Python programs are forked from a process that has already imported what they begin with. automatic:
// what they were seen to import; modules: these and nothing else; usual: automatic for torch and what stands on it.
struct WarmSpec {
  enum class Mode { usual, automatic, off, modules } mode = Mode::usual;
  std::vector<std::string> modules;
  bool operator==(const WarmSpec&) const = default;
};

// Whether the working folder travels to hosts that are reached over ssh: a snapshot of it, taken when the job is submitted.
struct SyncSpec {
  bool sync = false;
  uint64_t max_bytes = 512ULL << 20;  // more is refused
  bool operator==(const SyncSpec&) const = default;
};

// With which Python ranks and `setup` run.
struct PythonSpec {
  std::string venv;  // a virtual environment on the node: absolute, from ~, or from workdir; empty: none
  bool operator==(const PythonSpec&) const = default;
};

struct LogSpec {
  uint64_t max_bytes = 10ULL << 30;  // kept per rank and stream; beyond it the oldest range is dropped and counted
  bool operator==(const LogSpec&) const = default;
};

struct JobSpec {
  uint32_t version = 1;  // of the format
  std::string name;
  Framework framework = Framework::plain;
  World world = World::own;
  std::vector<GroupSpec> groups;  // at least one once validated
  std::string workdir = ".";      // absolute once the CLI resolved it
  SyncSpec sync;
  std::vector<std::string> outputs;             // what `muster fetch` brings from hosts, relative to workdir
  std::vector<std::vector<std::string>> setup;  // commands, run once on each host before ranks begin there
  PythonSpec python;
  std::map<std::string, EnvValue> env;
  std::map<std::string, std::string> labels;
  RestartSpec restarts;
  TimeoutSpec timeouts;
  HangSpec hangs;
  LogSpec logs;
  StoreHost store = StoreHost::hosted;
  WarmSpec warm;
  TorchSpec torch;
  std::map<std::string, std::string> custom;  // of framework custom: variable → template (template_text.h)
  BackendKind backend = BackendKind::local;
  std::vector<HostSpec> hosts;  // in the order of their ranks
  Placement placement = Placement::block;
  KubernetesSpec kubernetes;
  int32_t priority = 0;  // in the queue: the higher goes first; -100 to 100
  bool hold = false;     // queued, and not started before it is released
  BusyGpus busy_gpus = BusyGpus::wait;
  std::optional<Rank> tty_rank;  // this rank gets a pseudo-terminal (--tty)
  bool operator==(const JobSpec&) const = default;
};

// Whether something is done or looked for on each node before ranks begin there.
inline bool needs_setup(const JobSpec& spec) { return !spec.setup.empty() || !spec.python.venv.empty(); }

// Names as they are spelled in YAML, flags, JSON and messages.
std::string_view to_string(Framework value);
std::string_view to_string(BackendKind value);
std::string_view to_string(Placement value);
std::string_view to_string(SuccessRule value);
std::string_view to_string(World value);
std::string_view to_string(StoreHost value);
std::string_view to_string(HangAction value);
std::string_view to_string(LocalRankForm value);
std::string_view to_string(NumaBinding value);
std::string_view to_string(RestartMode value);
std::string_view to_string(BusyGpus value);
std::string to_string(const AutoCount& value);

// "SIGBUS" ↔ 7. Names of signal(7) on Linux; a number without a name is written "signal 34" and, from 1 to 64, read so.
std::optional<int> signal_number(std::string_view name);
std::string signal_name(int number);

}  // namespace muster
