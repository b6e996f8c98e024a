#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 15> kContradictionRows = {{
    {"E1301", "a range whose smaller end stands last", "A range is written from its smaller to its greater end.",
     "nodes: 4..2", "nodes: 2..4"},
    {"E1302", "a failure that is in never_on and in always_on",
     "never_on fails the job at once, always_on restarts it without counting. One rule cannot do both.",
     "restarts: {never_on: [oom], always_on: [oom]}", "restarts: {never_on: [oom]}"},
    {"E1303", "the short form together with groups",
     "A job with one kind of worker has nodes, workers, worker and command at the top. A job with several has "
     "them in each "
     "entry of `groups` instead.",
     "workers: 2\ngroups:\n  - {name: trainer, command: [./train]}",
     "groups:\n  - {name: trainer, workers: 2, command: [./train]}"},
    {"E1304", "no command", "Every group says which program its workers run.", "nodes: 2",
     "nodes: 2\ncommand: [python, train.py]"},
    {"E1305", "no group of workers", "The list `groups` is empty, so there is nothing to run.", "groups: []",
     "groups:\n  - {name: trainer, command: [./train]}"},
    {"E1306", "a terminal for a rank that does not exist",
     "Ranks are numbered from 0 over all groups in file order; the message says how many there are.",
     "workers: 2\ntty: 2", "workers: 2\ntty: 1"},
    {"E1307", "too many ranks",
     "A job has at most 1,000 groups and 100,000 ranks, nodes times workers over all groups.",
     "nodes: 100000\nworkers: 8", "nodes: 1000\nworkers: 8"},
    {"E1309", "a command, environment or job that is too large",
     "The arguments of a program and its variables have at most 128 KiB each, the whole job 256 KiB: the kernel "
     "refuses "
     "more, and every node gets a copy. Put long texts into a file beside the program.",
     "", ""},
    {"E1310", "a text that is not UTF-8",
     "Arguments and variables are kept as text in journals and messages, so they are UTF-8 and hold no zero byte.", "",
     ""},
    {"E1311", "nothing that could end the job",
     "`success: ignore` means that a group neither fails the job nor holds its end up. When every group is "
     "ignored the job "
     "would be over before it began.",
     "groups:\n  - {name: a, success: ignore, command: [./x]}", "groups:\n  - {name: a, success: all, command: [./x]}"},
    {"E1312", "a working folder that is none", "`workdir` is empty, or no path.", "workdir: \"\"", "workdir: ."},
    {"E1313", "`custom` beside another framework",
     "The table `custom` is what `framework: custom` gives each rank. Other frameworks have their own variables "
     "(muster frameworks NAME); what you add to them stands in `env`.",
     "framework: torch\ncustom: {RANK: \"${rank}\"}", "framework: custom\ncustom: {RANK: \"${rank}\"}"},
    {"E1314", "a template word that stands for nothing",
     "In `custom`, ${rank}, ${world_size} and the like become the rank's own values (muster frameworks custom lists "
     "them); $$ is a dollar.",
     "framework: custom\ncustom: {MY_RANK: \"${rnak}\"}", "framework: custom\ncustom: {MY_RANK: \"${rank}\"}"},
    {"E1315", "a rule for a group that the job does not have",
     "Rules in never_on and always_on may begin with `group NAME`; they are about failures of that group alone.",
     "restarts: {never_on: [group worke exit 2]}", "restarts: {never_on: [group worker exit 2]}"},
    {"E1316", "restart rules that do not go together",
     "`mode: none` restarts nobody, so there is nothing to limit; `window` says which restarts count against `limit`; "
     "`mode: group` wants groups that are worlds of their own, of a fixed number of nodes.",
     "restarts: {mode: none, limit: 3}", "restarts: {mode: gang, limit: 3}"},
}};

}  // namespace

std::span<const ExplainRow> explain_contradiction_rows() { return kContradictionRows; }

}  // namespace muster
