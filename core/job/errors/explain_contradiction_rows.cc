// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 16> kContradictionRows = {{
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
     "A group with `success: ignore` neither makes the job fail nor keeps it running. If every group has it, the job "
     "would be over before it begins.",
     "groups:\n  - {name: a, success: ignore, command: [./x]}", "groups:\n  - {name: a, success: all, command: [./x]}"},
    {"E1312", "a working folder that is not a path", "`workdir` is empty, or it is not a path.", "workdir: \"\"",
     "workdir: ."},
    {"E1313", "`custom` with another framework",
     "The map `custom` sets the variables that `framework: custom` gives to each rank. Other frameworks have their "
     "own variables (muster frameworks NAME). Put additional variables in `env`.",
     "framework: torch\ncustom: {RANK: \"${rank}\"}", "framework: custom\ncustom: {RANK: \"${rank}\"}"},
    {"E1314", "an unknown placeholder in a template",
     "In `custom`, muster replaces placeholders such as ${rank} and ${world_size} by the values of each rank. muster "
     "frameworks custom lists them. Write $$ for a dollar sign.",
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
}};

}  // namespace

std::span<const ExplainRow> explain_contradiction_rows() { return kContradictionRows; }

}  // namespace muster
