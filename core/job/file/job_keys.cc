// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/job_keys.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/job/file/env_reader.h"
#include "core/job/file/host_list.h"
#include "core/job/file/hosts_reader.h"
#include "core/job/file/list_reader.h"
#include "core/job/file/number_reader.h"
#include "core/job/framework_names.h"

namespace muster {
namespace {

using Text = std::string_view;
using Type = KeyType;
constexpr uint64_t kMostNodes = 100'000, kMostWorkers = 100'000;
constexpr uint64_t kMostRestarts = 1'000'000;
constexpr uint64_t kHighestPriority = 100;

// In the order of their enums (job_spec.h).
constexpr std::array<Text, 3> kRestartModes = {"gang", "group", "none"};
constexpr std::array<Text, 3> kHangActions = {"report", "dump", "restart"};
constexpr std::array<Text, 2> kLeftovers = {"wait", "stop"};
constexpr std::array<Text, 3> kStores = {"hosted", "proxy", "program"};
constexpr std::array<Text, 3> kLocalRanks = {"auto", "env", "argument"};
constexpr std::array<Text, 5> kNumaBindings = {"none", "node", "socket", "exclusive", "core-complex"};
constexpr std::array<Text, 2> kWorlds = {"own", "shared"};
constexpr std::array<Text, 3> kBackends = {"local", "ssh", "kubernetes"};
constexpr std::array<Text, 2> kPlacements = {"block", "cyclic"};
constexpr std::array<Text, 2> kBusyGpus = {"wait", "take"};
constexpr std::array<Text, 5> kSuccess = {"all", "any", "ignore", "first", "background"};

constexpr Text kNodesDoc = "Number of nodes, or MIN..MAX if fewer are enough.";
constexpr Text kWorkersDoc =
    "Workers on each node: a number, or auto for one per visible GPU (1 on a node without GPUs).";
constexpr Text kCommandDoc = "The program and its arguments, one list entry each; no shell reads them.";
using R = ValueReader;

constexpr std::array<Key, 3> kWorkerKeys = {{
    between(0, 1024,
            {"gpus", Type::auto_count, "GPUs of each worker; auto divides the GPUs of the node evenly.", "1",
             [](R& r) { read_auto_count(r, r.group().worker.gpus); }}),
    between(
        0, 65'536,
        {"cpus", Type::count, "CPUs that are reserved for each worker, which is bound to them; 0: all CPUs, not bound.",
         "4", [](R& r) { read_count(r, r.group().worker.cpus); }}),
    {"memory", Type::size, "Memory that each worker may use; 0: no limit.", "4GiB",
     [](R& r) { read_size(r, r.group().worker.memory_bytes); }},
}};

constexpr std::array<Key, 2> kBackoffKeys = {{
    {"first", Type::duration, "Delay before the first restart.", "1s",
     [](R& r) { read_duration(r, r.job().restarts.first_backoff); }},
    {"then", Type::duration_range, "Delay before later restarts: it doubles from the first value up to the second.",
     "1s..60s", [](R& r) { read_duration_range(r, r.job().restarts.min_backoff, r.job().restarts.max_backoff); }},
}};

constexpr std::array<Key, 8> kRestartKeys = {{
    one_of(kRestartModes,
           {"mode", Type::choice,
            "Which ranks restart when a rank fails: all (gang), those of its group (group), or none (the "
            "other ranks run to their end).",
            "group", [](R& r) { r.choice(r.job().restarts.mode); }}),
    between(0, kMostRestarts,
            {"limit", Type::count, "Largest number of restarts; after them the job fails.", "3",
             [](R& r) { read_count(r, r.job().restarts.limit); }}),
    {"window", Type::duration, "Only restarts within this time count against the limit; 0: all of them count.", "1h",
     [](R& r) { read_duration(r, r.job().restarts.window); }},
    between(0, kMostRestarts,
            {"crash_loop", Type::count,
             "Ends the job if this many attempts in a row fail in the same way within a minute; 0: never.", "5",
             [](R& r) { read_count(r, r.job().restarts.crash_loop); }}),
    holding(kBackoffKeys, {"backoff", Type::map, "Delays between attempts.", "{first: 0s, then: 1s..60s}"}),
    {"grace", Type::duration, "Time between SIGTERM and SIGKILL for ranks that are still running after a failure.",
     "2s", [](R& r) { read_duration(r, r.job().restarts.grace); }},
    {"never_on", Type::failure_rules, "Failures after which the job fails at once.", "[exit 2]",
     [](R& r) { read_failure_rules(r, r.job().restarts.never_on); }},
    {"always_on", Type::failure_rules, "Failures whose restarts do not count against the limit.", "[SIGBUS]",
     [](R& r) { read_failure_rules(r, r.job().restarts.always_on); }},
}};

constexpr std::array<Key, 6> kTimeoutKeys = {{
    {"queue", Type::duration, "Longest time that the job waits in the queue; 0: no limit.", "1h",
     [](R& r) { read_duration(r, r.job().timeouts.queue); }},
    {"start", Type::duration, "Longest time from the placement of the job until all ranks run; 0: no limit.", "5m",
     [](R& r) { read_duration(r, r.job().timeouts.start); }},
    {"setup", Type::duration, "Longest time for `setup` on all hosts, after which `start` begins again; 0: no limit.",
     "2h", [](R& r) { read_duration(r, r.job().timeouts.setup); }},
    {"run", Type::duration, "Longest time from the start of the first attempt; 0: no limit.", "24h",
     [](R& r) { read_duration(r, r.job().timeouts.run); }},
    {"stop", Type::duration, "Time between SIGTERM and SIGKILL when you stop the job.", "30s",
     [](R& r) { read_duration(r, r.job().timeouts.stop); }},
    {"leftovers", Type::duration,
     "Grace of `leftovers` after the last rank on the host has ended; 0: kill leftovers at once.", "10s",
     [](R& r) { read_duration(r, r.job().timeouts.leftovers); }},
}};

constexpr std::array<Key, 3> kHangKeys = {{
    one_of(kHangActions,
           {"action", Type::choice,
            "What muster does: report the hang, dump also the location of every rank, or restart also the gang.",
            "restart", [](R& r) { r.choice(r.job().hangs.action); }}),
    {"after", Type::duration,
     "Longest time without a step and without activity of any rank; 0: no limit. A rank that a signal stopped is "
     "reported at once.",
     "10m", [](R& r) { read_duration(r, r.job().hangs.after); }},
    {"even_without_steps", Type::truth,
     "Applies this also to programs that report no steps, if all their ranks are inactive.", "true",
     [](R& r) { r.truth(r.job().hangs.even_without_steps); }},
}};

constexpr std::array<Key, 1> kLogKeys = {{
    {"max", Type::size, "Output that is kept for each rank and stream; beyond it, the oldest output is dropped.",
     "10GiB", [](R& r) { read_size(r, r.job().logs.max_bytes); }},
}};

constexpr std::array<Key, 6> kTorchKeys = {{
    {"run_id", Type::text, "TORCHELASTIC_RUN_ID of every attempt; empty: the job's id.", "exp-17",
     [](R& r) { r.text(r.job().torch.run_id); }},
    {"role", Type::text, "ROLE_NAME; empty: the group's name.", "default", [](R& r) { r.text(r.job().torch.role); }},
    {"virtual_local_rank", Type::truth, "Each rank sees only its own GPUs, and its LOCAL_RANK is 0.", "true",
     [](R& r) { r.truth(r.job().torch.virtual_local_rank); }},
    {"macros", Type::truth, "${local_rank} in the command becomes the local rank, as under torchrun.", "true",
     [](R& r) { r.truth(r.job().torch.macros); }},
    one_of(
        kLocalRanks,
        {"local_rank", Type::choice,
         "How a program gets its local rank: env; argument: also as --local_rank=N; auto: as its own launcher does it.",
         "argument", [](R& r) { r.choice(r.job().torch.local_rank); }}),
    one_of(kNumaBindings,
           {"numa_binding", Type::choice, "Binds each rank to CPUs near its GPU, as torchrun --numa-binding.", "node",
            [](R& r) { r.choice(r.job().torch.numa_binding); }}),
}};

constexpr std::array<Key, 2> kVariableKeys = {{
    {"from", Type::text,
     "Source of the value, read when the job is submitted: env:NAME, file:PATH or cmd:PROGRAM ARGS.", "\"env:TOKEN\"",
     [](R& r) { read_secret_source(r, r.secret()); }},
    {"optional", Type::truth, "If there is no value, leave the variable unset instead of failing.", "true",
     [](R& r) { r.truth(r.secret().optional); }},
}};

// Keys that are at the top in the short form, and in each group otherwise.
constexpr Key kNodesKey =
    between(1, kMostNodes, {"nodes", Type::node_range, kNodesDoc, "4", [](R& r) { read_node_range(r, r.group()); }});
constexpr Key kWorkersKey =
    between(1, kMostWorkers,
            {"workers", Type::auto_count, kWorkersDoc, "8", [](R& r) { read_auto_count(r, r.group().workers); }});
constexpr Key kWorkerKey =
    holding(kWorkerKeys, {"worker", Type::map, "What each worker needs.", "{gpus: 1, cpus: 4, memory: 16GiB}"});
constexpr Key kCommandKey = {"command", Type::command, kCommandDoc, "[python, train.py]",
                             [](R& r) { read_command(r, r.group().command); }};

constexpr Key kLabelKey = {"label", Type::text, "Uses only hosts that have this label.", "rack1",
                           [](R& r) { read_host_label(r, r.group().label); }};

constexpr std::array<Key, 10> kGroupKeys = {{
    {"name", Type::text, "Name of the group.", "trainer", [](R& r) { r.text(r.group().name); }},
    kNodesKey,
    kWorkersKey,
    kWorkerKey,
    kCommandKey,
    holding(kVariableKeys, {"env", Type::env, "Variables of the group's workers; they override those of the job.",
                            "{ROLE: trainer}", [](R& r) { read_env(r, r.group().env); }}),
    one_of(kSuccess,
           {"success", Type::choice,
            "When the group has succeeded: all its ranks, any or the first exited with 0, or nobody waits for it.",
            "all", [](R& r) { r.choice(r.group().success); }}),
    kLabelKey,
    {"in_image", Type::text, "The image of the group's workers; it overrides that of the job.",
     "registry.example/actor:7", [](R& r) { r.text(r.group().in_image); }},
    holding(kGroupPodKeys,
            {"kubernetes", Type::map, "Settings of the group's pods; they override `kubernetes` of the job.",
             "{image: registry.example/actor:7}"}),
}};

constexpr std::array<Key, 3> kWorkdirKeys = {{
    {"path", Type::text, "The folder, relative to the job file.", ".", [](R& r) { r.text(r.job().workdir); }},
    {"sync", Type::truth, "Copies a snapshot of the folder, taken at submit, to the hosts over ssh.", "true",
     [](R& r) { r.truth(r.job().sync.sync); }},
    {"max", Type::size, "Largest snapshot; files that git or .musterignore ignores are not copied.", "512MiB",
     [](R& r) { read_size(r, r.job().sync.max_bytes); }},
}};

constexpr std::array<Key, 1> kPythonKeys = {{
    {"venv", Type::text, "A virtual environment on the host: relative to workdir, below ~, or absolute.", ".venv",
     [](R& r) { r.text(r.job().python.venv); }},
}};

constexpr std::array<Key, 36> kJobKeys = {{
    between(1, 1,
            {"version", Type::count, "Version of this format.", "1", [](R& r) { read_version(r, r.job().version); }}),
    {"name", Type::text, "Name of the job.", "fashion", [](R& r) { r.text(r.job().name); }},
    in_config({"runtime", Type::text, "Template of the job: its values apply to keys that this file does not set.",
               "torch-gpu", [](R& r) { r.runtime(); }}),
    one_of(kFrameworkNames, {"framework", Type::choice, "Which variables tell the workers their ranks and how to meet.",
                             "torch", [](R& r) { r.choice(r.job().framework); }}),
    one_of(kWorlds,
           {"world", Type::choice,
            "Numbering of ranks of several groups: each group its own world, or one shared world in file order.", "own",
            [](R& r) { r.choice(r.job().world); }}),
    kNodesKey,
    kWorkersKey,
    in_config(kWorkerKey),
    kCommandKey,
    {"groups", Type::groups, "Groups of workers with commands of their own.", "[{name: trainer, command: [./train]}]",
     [](R& r) { read_groups(r); }},
    holding(kWorkdirKeys, {"workdir", Type::map,
                           "Folder in which workers start, relative to the job file; `sync` copies it to hosts that do "
                           "not have it.",
                           ".", [](R& r) { r.text(r.job().workdir); }}),
    {"outputs", Type::paths, "Files and folders that muster fetch copies from the job's hosts, relative to workdir.",
     "[checkpoints]", [](R& r) { read_paths(r, r.job().outputs); }},
    {"setup", Type::commands,
     "Commands that run once on each host before its workers start, and again when they or the files that they name "
     "change.",
     "[[pip, install, -r, requirements.txt]]", [](R& r) { read_commands(r, r.job().setup); }},
    in_config(holding(kInImageKeys,
                      {"in_image", Type::map, "The container image in which workers run on this machine and on hosts.",
                       "registry.example/train:7", [](R& r) { r.text(r.job().in_image.image); }})),
    holding(kPythonKeys, {"python", Type::map, "The Python with which workers run.", "{venv: .venv}"}),
    in_config(
        holding(kVariableKeys, {"env", Type::env, "Variables of the workers; secrets are given by reference.",
                                "{LEVEL: 1, TOKEN: {from: \"env:TOKEN\"}}", [](R& r) { read_env(r, r.job().env); }})),
    in_config({"labels", Type::labels, "Names and values of your own, for your information.", "{team: vision}",
               [](R& r) { read_labels(r, r.job().labels); }}),
    in_config(holding(kRestartKeys, {"restarts", Type::map, "What happens when a rank fails.", "{limit: 3}"})),
    in_config(holding(kTimeoutKeys, {"timeouts", Type::map, "Time limits of the job.", "{run: 24h}"})),
    in_config(holding(kHangKeys, {"hangs", Type::map, "What happens when ranks are stopped or hang.",
                                  "{action: restart, after: 10m}"})),
    in_config(
        one_of(kLeftovers, {"leftovers", Type::choice, "Processes that ranks left running: wait for them, or stop.",
                            "wait", [](R& r) { r.choice(r.job().leftovers); }})),
    in_config(holding(kLogKeys, {"logs", Type::map, "How much output is kept.", "{max: 10GiB}"})),
    in_config(
        one_of(kStores, {"store", Type::choice,
                         "Server of the torch store of the ranks: muster (hosted), muster with a store proxy on each "
                         "node (proxy), or rank 0 itself (program).",
                         "hosted", [](R& r) { r.choice(r.job().store); }})),
    in_config({"warm", Type::warm,
               "Whether Python ranks are forked from a process that has already imported their modules.", "auto",
               [](R& r) { read_warm(r, r.job().warm); }}),
    holding(kTorchKeys,
            {"torch", Type::map, "Settings for torch and the frameworks on top of it.", "{run_id: exp-17}"}),
    {"custom", Type::labels, "Variables of each rank, as templates, with any framework.",
     "{MY_RANK: \"${rank}\", MY_SIZE: \"${world_size}\"}", [](R& r) { read_labels(r, r.job().custom); }},
    {"service", Type::command, "With `framework: custom`: a program for all ranks of a world; its words are templates.",
     "[./server, --port, \"${master_port}\"]", [](R& r) { read_command(r, r.job().service); }},
    in_config(one_of(
        kBackends, {"backend", Type::choice, "Where the job runs.", "local", [](R& r) { r.choice(r.job().backend); }})),
    in_config(
        holding(kHostKeys, {"hosts", Type::hosts, "Hosts of a job with `backend: ssh`, in the order of their ranks.",
                            "[a1, \"mia@a2:4\", {name: a3, slots: 8}]", [](R& r) { read_hosts(r, r.job().hosts); }})),
    kLabelKey,
    in_config(one_of(
        kPlacements,
        {"placement", Type::choice,
         "Numbering of ranks over hosts: all ranks of a host, then the next (block), or one of each in turn (cyclic).",
         "cyclic", [](R& r) { r.choice(r.job().placement); }})),
    in_config(holding(kKubernetesKeys, {"kubernetes", Type::map, "Settings of the job's pods (backend: kubernetes).",
                                        "{image: \"registry.example/train:7\"}"})),
    between(0, kHighestPriority,
            {"priority", Type::integer, "Priority in the queue: the job with the higher value starts first.", "10",
             [](R& r) { read_integer(r, r.job().priority); }}),
    {"hold", Type::truth, "Queues the job, and starts it only after muster release.", "true",
     [](R& r) { r.truth(r.job().hold); }},
    in_config(one_of(kBusyGpus, {"busy_gpus", Type::choice,
                                 "Whether to wait for a GPU on which a process outside muster computes, or to take it.",
                                 "take", [](R& r) { r.choice(r.job().busy_gpus); }})),
    between(0, kMostNodes - 1,
            {"tty", Type::count, "The rank that gets a pseudo-terminal.", "0",
             [](R& r) { read_rank(r, r.job().tty_rank); }}),
}};

struct Synonym {
  Text theirs;
  Text ours;
};

// Names of torchrun, Slurm, Compose, Kubernetes and SkyPilot for keys of this file.
constexpr std::array<Synonym, 25> kSynonyms = {{
    {"nnodes", "nodes"},
    {"num_nodes", "nodes"},
    {"replicas", "nodes"},
    {"nproc_per_node", "workers"},
    {"nproc", "workers"},
    {"ntasks_per_node", "workers"},
    {"workers_per_node", "workers"},
    {"gpus_per_node", "worker.gpus"},
    {"gpu", "worker.gpus"},
    {"cpu", "worker.cpus"},
    {"mem", "worker.memory"},
    {"resources", "worker"},
    {"ram", "worker.memory"},
    {"environment", "env"},
    {"envs", "env"},
    {"secrets", "env"},
    {"cmd", "command"},
    {"args", "command"},
    {"run", "command"},
    {"max_restarts", "restarts.limit"},
    {"retries", "restarts.limit"},
    {"working_dir", "workdir"},
    {"timeout", "timeouts.run"},
    {"machines", "hosts"},
    {"hostlist", "hosts"},
}};

std::optional<std::string> path_in(std::span<const Key> keys, Text name, const std::string& prefix) {
  for (const Key& key : keys) {
    if (key.name == name) return prefix + std::string(name);
    if (key.type != Type::map) continue;
    if (auto found = path_in(key.children, name, prefix + std::string(key.name) + ".")) return found;
  }
  return std::nullopt;
}

std::string number_wanted(const Key& key) {
  return "a whole number from " + std::to_string(key.low) + " to " + std::to_string(key.high);
}

}  // namespace

std::span<const Key> job_keys() { return kJobKeys; }
std::span<const Key> group_keys() { return kGroupKeys; }

std::vector<Key> config_keys() {
  std::vector<Key> keys;
  std::copy_if(kJobKeys.begin(), kJobKeys.end(), std::back_inserter(keys),
               [](const Key& key) { return key.in_config; });
  return keys;
}

bool is_short_form(Text name) { return name == "nodes" || name == "workers" || name == "worker" || name == "command"; }

const Key* find_key(std::span<const Key> keys, Text name) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::optional<std::string> familiar_path(Text name) {
  const auto synonym =
      std::find_if(kSynonyms.begin(), kSynonyms.end(), [&](const Synonym& each) { return each.theirs == name; });
  if (synonym != kSynonyms.end()) return std::string(synonym->ours);
  return path_in(kJobKeys, name, "");
}

std::string wanted(const Key& key) {
  switch (key.type) {
    case Type::text: return "a text such as " + std::string(key.example);
    case Type::choice: return "one of " + join({key.choices.begin(), key.choices.end()}, ", ");
    case Type::count: return number_wanted(key);
    case Type::integer: return "a whole number from -" + std::to_string(key.high) + " to " + std::to_string(key.high);
    case Type::auto_count: return "auto or " + number_wanted(key);
    case Type::node_range: return number_wanted(key) + " or a range such as 2..4";
    case Type::size: return "a size such as " + std::string(key.example);
    case Type::duration: return "a duration such as " + std::string(key.example);
    case Type::duration_range: return "a range of durations such as " + std::string(key.example);
    case Type::truth: return "true or false";
    case Type::paths: return "a list of relative paths such as " + std::string(key.example);
    case Type::command: return "a list of words such as " + std::string(key.example);
    case Type::commands: return "a list of commands, each a list of words, such as " + std::string(key.example);
    case Type::warm: return "auto, off, or a list of modules such as [torch]";
    case Type::failure_rules: return "a list such as [exit 2, SIGBUS, oom, exception ValueError]";
    case Type::hosts: return "a list of hosts such as [a1, \"mia@a2:4\"]";
    case Type::words: return "a list of words such as " + std::string(key.example);
    case Type::volumes: return "a list of volumes such as " + std::string(key.example);
    case Type::objects: return "a list of maps such as " + std::string(key.example);
    case Type::groups: return "a list of groups such as " + std::string(key.example);
    case Type::env:
    case Type::labels:
    case Type::object:
    case Type::map:
      if (has_short_form(key)) return "a text such as " + std::string(key.example) + ", or a map";
      return "a map such as " + std::string(key.example);
  }
  return "a value such as " + std::string(key.example);
}

}  // namespace muster
