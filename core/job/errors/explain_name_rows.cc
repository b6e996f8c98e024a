#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 12> kNameRows = {{
    {"E1201", "an unknown key",
     "The key does not exist where it stands. It may be misspelled, belong into another map, or be another tool's "
     "name.",
     "max_restarts: 3", "restarts: {limit: 3}"},
    {"E1202", "a key that is given twice",
     "YAML forbids a key to stand twice in one map, and readers disagree on which one counts. Remove one.",
     "nodes: 1\nnodes: 2", "nodes: 2"},
    {"E1203", "a key that configuration does not take",
     "muster.yaml gives defaults to all jobs of a project. What a job is (its command, nodes, name) stands in its "
     "own file.",
     "command: [python, train.py]    # in muster.yaml", "backend: ssh    # in muster.yaml"},
    {"E1204", "an unknown choice", "The key takes one of a few words; the message shows the nearest, or all of them.",
     "framework: troch", "framework: torch"},
    {"E1205", "not a name for a job",
     "A name has 1 to 40 characters a-z, 0-9 and -, begins with a letter and does not end with a dash: so it fits "
     "host "
     "names, file names and Kubernetes objects. Leave it out and muster makes one.",
     "name: My_Job", "name: my-job"},
    {"E1206", "not a name for a group",
     "Groups are named like jobs: a-z, 0-9 and -, beginning with a letter, 40 characters at most. When there are "
     "several, "
     "each needs a name.",
     "groups:\n  - {command: [./train]}\n  - {command: [./eval]}",
     "groups:\n  - {name: trainer, command: [./train]}\n  - {name: evaluator, command: [./eval]}"},
    {"E1207", "two groups with one name", "The name tells groups apart in messages, logs and flags.",
     "groups:\n  - {name: a, command: [./x]}\n  - {name: a, command: [./y]}",
     "groups:\n  - {name: a, command: [./x]}\n  - {name: b, command: [./y]}"},
    {"E1208", "not a name for a variable",
     "The name of an environment variable is not empty, holds no `=` and no control character, and has at most "
     "256 bytes.",
     "env: {\"A=B\": 1}", "env: {A: B}"},
    {"E1209", "not a label",
     "A label has a name of 1 to 256 bytes and a text of at most 1024, without control characters.",
     "labels: {\"\": x}", "labels: {team: x}"},
    {"E1210", "a file for a newer muster",
     "`version` is the version of the file's format. This muster reads version 1 and would misread a newer one. "
     "Update muster, or write the file for version 1.",
     "version: 2", "version: 1"},
    {"E1211", "a flag for a group that is not clear",
     "The job has several groups, or none with this name. Say which one: groups.NAME.KEY.", "--set workers=4",
     "--set groups.trainer.workers=4"},
    {"E1212", "an unknown runtime",
     "A runtime is a file NAME.yaml in .muster/runtimes of the project, ~/.config/muster/runtimes or "
     "/etc/muster/runtimes. muster runtimes lists them.",
     "runtime: ../torch-gpu", "runtime: torch-gpu"},
}};

}  // namespace

std::span<const ExplainRow> explain_name_rows() { return kNameRows; }

}  // namespace muster
