// SPDX-License-Identifier: Apache-2.0
// JobSpec: the job as the user described it, as plain values. It is not placed on nodes (plan.h), not validated
// (validate.h), and independent of the file format (job_yaml.h).
//
// The defaults below apply if the user does not set the key. Values: can be copied and compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/job/image/in_image.h"
#include "core/job/kubernetes_spec.h"
#include "core/job/leftover_spec.h"

namespace muster {

// any: of a program whose framework is not known.
enum class Framework {
  plain,
  torch,
  lightning,
  accelerate,
  deepspeed,
  jax,
  tensorflow,
  mpi,
  mlx,
  xgboost,
  paddle,
  horovod,
  custom,
  any,
};
enum class BackendKind { local, ssh, kubernetes };

// The source of a secret. The submitting machine reads the value when the job is submitted, and never writes it to a
// spec, journal or log.
struct SecretSource {
  enum class Kind { env, file, cmd, manifest };
  Kind kind = Kind::env;
  std::string where;      // a variable's name, a path, a command line that is split at spaces (no shell), or
                          // a variable of the manifest that the job was read from
  bool optional = false;  // true: without a value, the variable stays unset; false: the submit fails
  bool operator==(const SecretSource&) const = default;
};

// One variable of a worker: a literal, or a reference to a secret.
struct EnvValue {
  std::string literal;
  std::optional<SecretSource> secret;
  bool operator==(const EnvValue&) const = default;
};

// A count that can depend on the machine. automatic: one per visible GPU; without GPUs 1 for workers, 0 for gpus.
struct AutoCount {
  bool automatic = false;
  uint32_t count = 0;
  bool operator==(const AutoCount&) const = default;
};

// The needs of one worker. cpus 0, memory 0: not reserved and not limited.
struct WorkerNeeds {
  AutoCount gpus{true, 0};
  uint32_t cpus = 0;
  uint64_t memory_bytes = 0;
  bool operator==(const WorkerNeeds&) const = default;
};

// When a group has succeeded. all: all ranks exited with 0. any: one rank exited with 0; the others are then stopped.
// first: its first rank exited with 0; the others are then stopped. background: the job does not wait for the group, but
// fails if one of its ranks fails. ignore: the job neither waits for the group nor fails because of it.
enum class SuccessRule { all, any, ignore, first, background };

// Whether the job waits for groups with this rule.
constexpr bool is_awaited(SuccessRule rule) { return rule != SuccessRule::ignore && rule != SuccessRule::background; }

struct GroupSpec {
  std::string name = "worker";
  uint32_t min_nodes = 1;
  uint32_t max_nodes = 1;
  AutoCount workers{false, 1};  // per node
  WorkerNeeds worker;
  std::vector<std::string> command;
  std::map<std::string, EnvValue> env;  // overrides that of the job
  SuccessRule success = SuccessRule::all;
  std::string label;     // of the hosts that the group uses; empty: any host
  std::string in_image;  // overrides the image of the job; empty: that one
  GroupPods kubernetes;
  bool operator==(const GroupSpec&) const = default;
};

// own: the ranks of each group are 0..n-1. shared: one world of all groups, in file order (like MPMD in MPI).
enum class World { own, shared };

// A rule for failures of an attempt: `exit 2`, `SIGBUS`, `oom`, `exception RuntimeError`, `message ECC error`, `lost`,
// `hang`. `group trainer exit 2` applies only to a group; `group trainer` is every failure of that group.
struct FailureRule {
  // exception: the name of a Python exception, with or without its module. message: a part of the failure message of
  // the rank; `*` matches any text. lost: a node was lost. hang: a rank or the gang was ended because it made no
  // progress.
  enum class Kind { exit_code, signal, oom, exception, message, lost, hang, any };
  Kind kind = Kind::exit_code;
  int number = 0;     // the exit code or signal number
  std::string text;   // of exception and message
  std::string group;  // empty: all groups
  bool operator==(const FailureRule&) const = default;
};

// Which ranks restart after a rank failed. gang: all ranks of the job. group: those of its group; the others continue.
// none: no ranks; the others run to their end, and then the job has failed.
enum class RestartMode { gang, group, none };

struct RestartSpec {
  RestartMode mode = RestartMode::gang;
  uint32_t limit = 0;        // restarts, so limit + 1 attempts
  Duration window{0};        // only restarts within this time count against the limit; 0: all
  uint32_t crash_loop = 10;  // fail the job after this many early, equal failures in a row; 0: never
  Duration first_backoff{0};
  Duration min_backoff = std::chrono::seconds(1);   // doubles from this value …
  Duration max_backoff = std::chrono::seconds(60);  // … up to this value
  Duration grace = std::chrono::seconds(2);         // of the surviving ranks, between SIGTERM and SIGKILL
  std::vector<FailureRule> never_on;
  std::vector<FailureRule> always_on;  // restarts that do not count against the limit; never_on wins
  bool operator==(const RestartSpec&) const = default;
};

// The reaction to ranks that are stopped or hang. report: reports it, with the location of these ranks. dump: with the
// location of all ranks of the gang. restart: as dump, and the attempt fails.
enum class HangAction { report, dump, restart };

struct HangSpec {
  HangAction action = HangAction::report;
  Duration after = std::chrono::minutes(10);  // without a step and without activity of any rank; 0: never
  bool even_without_steps = false;            // also for programs that report no steps: inactivity is a hang
  bool operator==(const HangSpec&) const = default;
};

// A host that the job may use (backend ssh), as the user named it.
struct HostSpec {
  std::string name;     // the name for ssh: "a1", "user@a1"
  uint32_t slots = 0;   // most ranks on the host; 0: as many as fit
  std::string address;  // where the other hosts reach it: numeric, or the name of a NIC; empty: muster selects it
  std::map<std::string, std::string> env;  // of its ranks; overrides that of the job
  std::string scratch;                     // absolute path on the host, TMPDIR of its ranks; empty: unchanged
  std::string label;                       // the user's word for its kind; groups can select hosts by it
  uint32_t weight = 1;                     // if not all hosts are needed, the greatest weight is taken first
  bool operator==(const HostSpec&) const = default;
};

// How ranks are numbered over hosts. block: all ranks of a host, then those of the next. cyclic: one rank of each host
// in turn.
enum class Placement { block, cyclic };

// 0: no limit.
struct TimeoutSpec {
  Duration queue{0};
  Duration start = std::chrono::minutes(5);   // from the placement until all ranks run
  Duration setup = std::chrono::hours(1);     // of `setup` on all nodes; after it, `start` begins again
  Duration run{0};                            // from the start of the first attempt
  Duration stop = std::chrono::seconds(30);   // between SIGTERM and SIGKILL when the user stops the job
  Duration leftovers = LeftoverSpec().grace;  // of processes that ranks left running; 0: SIGKILL at once
  bool operator==(const TimeoutSpec&) const = default;
};

// The server of the torch store. hosted: the agent of the world's first node, a new store in each attempt. proxy: the
// same, with a store proxy in the agent of each other node. program: rank 0 itself, at a port that is leased for it.
enum class StoreHost { hosted, proxy, program };

// How a program gets its local rank. env: by LOCAL_RANK. argument: also by the argument --local_rank=N. automatic: as
// the framework's own launcher does it.
enum class LocalRankForm { automatic, env, argument };

// The CPUs near its GPU to which a rank is bound: all of the NUMA node or socket, its share of the cores of the node,
// or cores that share one last-level cache. As torchrun --numa-binding.
enum class NumaBinding { none, node, socket, exclusive, core_complex };

// The use of a GPU on which a process outside muster computes. wait: no job gets it. take: jobs can get it.
enum class BusyGpus { wait, take };

// For torch and the frameworks on top of it.
struct TorchSpec {
  std::string run_id;               // TORCHELASTIC_RUN_ID; empty: the job's id
  std::string role;                 // ROLE_NAME; empty: the group's name
  bool virtual_local_rank = false;  // each rank sees only its own GPUs, and its LOCAL_RANK is 0
  bool macros = false;              // ${local_rank} in the command becomes the local rank, as under torchrun
  LocalRankForm local_rank = LocalRankForm::automatic;
  NumaBinding numa_binding = NumaBinding::none;
  bool operator==(const TorchSpec&) const = default;
};

// Whether ranks of Python programs are forked from a process that has already imported their modules. automatic: the
// modules that earlier runs imported. modules: exactly these. usual: automatic for torch and the frameworks on top of
// it, else off.
struct WarmSpec {
  enum class Mode { usual, automatic, off, modules } mode = Mode::usual;
  std::vector<std::string> modules;
  bool operator==(const WarmSpec&) const = default;
};

// Whether a snapshot of the working folder, taken when the job is submitted, is copied to hosts over ssh.
struct SyncSpec {
  bool sync = false;
  uint64_t max_bytes = 512ULL << 20;  // a larger snapshot is refused
  bool operator==(const SyncSpec&) const = default;
};

// The Python with which ranks and `setup` run.
struct PythonSpec {
  std::string venv;  // a virtual environment on the node: absolute, below ~, or relative to workdir; empty: none
  bool operator==(const PythonSpec&) const = default;
};

struct LogSpec {
  uint64_t max_bytes = 10ULL << 30;  // kept per rank and stream; beyond it, the oldest output is dropped
  bool operator==(const LogSpec&) const = default;
};

struct JobSpec {
  uint32_t version = 1;  // of the file format
  std::string name;
  Framework framework = Framework::plain;
  World world = World::own;
  std::vector<GroupSpec> groups;  // at least one in a valid spec
  std::string workdir = ".";      // absolute after the CLI has resolved it
  SyncSpec sync;
  std::vector<std::string> outputs;             // paths that `muster fetch` copies from hosts, relative to workdir
  std::vector<std::vector<std::string>> setup;  // commands that run once on each host before its ranks start
  InImageSpec in_image;
  PythonSpec python;
  std::map<std::string, EnvValue> env;
  std::map<std::string, std::string> labels;
  RestartSpec restarts;
  TimeoutSpec timeouts;
  HangSpec hangs;
  LeftoverAction leftovers = LeftoverAction::wait;
  LogSpec logs;
  StoreHost store = StoreHost::hosted;
  WarmSpec warm;
  TorchSpec torch;
  std::map<std::string, std::string> custom;  // of framework custom: variable → template (template_text.h)
  std::vector<std::string> service;  // of framework custom: command of the service program, templates; empty: none
  BackendKind backend = BackendKind::local;
  std::vector<HostSpec> hosts;  // in the order of their ranks
  Placement placement = Placement::block;
  KubernetesSpec kubernetes;
  int32_t priority = 0;  // in the queue: the higher value starts first; -100 to 100
  bool hold = false;     // queued, but not started until it is released
  BusyGpus busy_gpus = BusyGpus::wait;
  std::optional<Rank> tty_rank;  // this rank gets a pseudo-terminal (--tty)
  bool operator==(const JobSpec&) const = default;
};

// The image in which the ranks of the group run; empty: they run on the host.
const std::string& image_of(const JobSpec& spec, const GroupSpec& group);
// Whether ranks of any group run in an image. Never for backend kubernetes: pods have their own images.
bool uses_image(const JobSpec& spec);

// Whether each node opens an image, runs commands or checks its virtual environment before its ranks start.
bool needs_setup(const JobSpec& spec);

// The names in YAML, flags, JSON and messages.
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

// "SIGBUS" ↔ 7: the names of signal(7) on Linux. For a number without a name, signal_name() returns "signal 34", which
// signal_number() accepts for 1 to 64.
std::optional<int> signal_number(std::string_view name);
std::string signal_name(int number);

}  // namespace muster
