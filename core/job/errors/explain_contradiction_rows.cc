// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 19> kContradictionRows = {{
    {"E1301", "a range whose smaller end comes last", "Write a range from its smaller end to its larger end.",
     "nodes: 4..2", "nodes: 2..4"},
    {"E1302", "a rule in both never_on and always_on",
     "A failure in never_on ends the job at once. A failure in always_on restarts it, and the restart does not "
     "count. A rule cannot be in both lists.",
     "restarts: {never_on: [oom], always_on: [oom]}", "restarts: {never_on: [oom]}"},
    {"E1303", "the short form together with groups",
     "A job with one kind of worker has nodes, workers, worker and command at the top of the file. A job with "
     "several kinds has them in each entry of `groups` instead.",
     "workers: 2\ngroups:\n  - {name: trainer, command: [./train]}",
     "groups:\n  - {name: trainer, workers: 2, command: [./train]}"},
    {"E1304", "no command", "Every group needs a `command`: the program that its workers run.", "nodes: 2",
     "nodes: 2\ncommand: [python, train.py]"},
    {"E1305", "no group of workers", "The list `groups` is empty, so there is nothing to run.", "groups: []",
     "groups:\n  - {name: trainer, command: [./train]}"},
    {"E1306", "a terminal for a rank that does not exist",
     "Ranks are numbered from 0 over all groups, in the order of the file. The message says how many ranks there are.",
     "workers: 2\ntty: 2", "workers: 2\ntty: 1"},
    {"E1307", "too many ranks",
     "A job has at most 1,000 groups and 100,000 ranks. The number of ranks is nodes times workers, summed over all "
     "groups.",
     "nodes: 100000\nworkers: 8", "nodes: 1000\nworkers: 8"},
    {"E1309", "a command, environment or job that is too large",
     "Linux takes at most 128 KiB in one argument or variable, and at most 6 MiB in all of them. The ranks of a node "
     "have at most 32 MiB of arguments and variables together, and the whole job has at most 8 MiB, because muster "
     "stores it and sends it to every node. Put long texts into a file beside the program.",
     "", ""},
    {"E1310", "a text that is not UTF-8",
     "muster stores arguments, variables and the path of the working folder as text, so they must be UTF-8 without a "
     "zero byte.",
     "", ""},
    {"E1311", "no group that can end the job",
     "The job does not wait for a group with `success: ignore` or `background`. If every group has one of them, the "
     "job "
     "would be over before it begins.",
     "groups:\n  - {name: a, success: ignore, command: [./x]}", "groups:\n  - {name: a, success: all, command: [./x]}"},
    {"E1312", "a working folder that is not a path", "`workdir` is empty, or it is not a path.", "workdir: \"\"",
     "workdir: ."},
    {"E1313", "`service` with another framework",
     "`service` is a program for the ranks of `framework: custom`. Other frameworks have their own services (muster "
     "frameworks NAME).",
     "framework: torch\nservice: [./server]", "framework: custom\nservice: [./server, \"${master_port}\"]"},
    {"E1314", "a wrong placeholder in a template",
     "In `custom`, muster replaces placeholders such as ${rank} and ${world_size} by the values of each rank. muster "
     "frameworks custom lists them. In `service`, only those are allowed that are equal for all ranks of a world. "
     "Write $$ for a dollar sign.",
     "framework: custom\ncustom: {MY_RANK: \"${rnak}\"}", "framework: custom\ncustom: {MY_RANK: \"${rank}\"}"},
    {"E1315", "a rule for a group that does not exist",
     "A rule in never_on or always_on can begin with `group NAME`. It then applies only to failures of that group, "
     "so the job must have a group with that name.",
     "restarts: {never_on: [group worke exit 2]}", "restarts: {never_on: [group worker exit 2]}"},
    {"E1316", "restart rules that contradict each other",
     "`mode: none` means no restarts, so `limit` and `always_on` do not go with it. `window` says which restarts "
     "count against `limit`, so it needs a `limit` above 0. `mode: group` needs groups that are worlds of their own "
     "(`world: own`), each with a fixed number of nodes.",
     "restarts: {mode: none, limit: 3}", "restarts: {mode: gang, limit: 3}"},
    {"E1317", "a variable that is not replaced",
     "muster replaces no variables in a job file, so a rank gets the text `${NAME}`. The ranks of a local job have the "
     "variables of your shell even without `env`. For other backends, `{from: \"env:NAME\"}` takes the value from your "
     "shell; "
     "muster keeps such a value secret. For a part of a value, use the flag -e: your shell replaces variables there. "
     "In "
     "`command`, name a shell. This is a warning: the job runs.",
     "env: {KEY: \"${KEY}\"}", "env: {KEY: {from: \"env:KEY\"}}"},
    {"E1318", "groups that the framework cannot have",
     "With framework tensorflow, each group is a task type: `chief`, `worker`, `ps` or `evaluator`. There is at most "
     "one "
     "chief and one evaluator, `ps` needs a group `worker`, and all groups restart together, because TF_CONFIG has the "
     "addresses of all of them.",
     "framework: tensorflow\ngroups:\n  - {name: chief, workers: 2, command: [python, train.py]}",
     "framework: tensorflow\ngroups:\n  - {name: chief, command: [python, train.py]}\n  - {name: worker, command: "
     "[python, train.py]}"},
    {"E1319", "a variable that muster sets for each attempt",
     "Ranks of some frameworks find each other by variables whose addresses and TCP ports muster leases anew for each "
     "attempt. A value of your own in `env` would be used by all ranks and in all attempts. If the program needs "
     "addresses of its own, choose `framework: plain`.",
     "framework: jax\nenv: {JAX_COORDINATOR_ADDRESS: \"127.0.0.1:1234\"}\ncommand: [python, train.py]",
     "framework: jax\ncommand: [python, train.py]"},
    {"E1320", "an image or mount that cannot be used",
     "`in_image` is the name of a container image or the path of an image file on the host. podman and docker open "
     "images "
     "by name; apptainer and enroot also open files. A mount is SOURCE, SOURCE:TARGET or SOURCE:TARGET:ro with "
     "absolute "
     "paths. In a cluster `in_image` is the image of the pods, so `kubernetes.image` must not name another one.",
     "in_image: {image: ./train.sif, program: podman}", "in_image: {image: ./train.sif, program: apptainer}"},
}};

}  // namespace

std::span<const ExplainRow> explain_contradiction_rows() { return kContradictionRows; }

}  // namespace muster
