// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 12> kNameRows = {{
    {"E1201", "an unknown key",
     "There is no such key at this place. The key may be misspelled, it may belong in another map, or it may be a "
     "name that another tool uses.",
     "max_restarts: 3", "restarts: {limit: 3}"},
    {"E1202", "a key that is given twice",
     "YAML does not allow a key twice in one map, and YAML readers disagree on which one counts. Remove one of them.",
     "nodes: 1\nnodes: 2", "nodes: 2"},
    {"E1203", "a key that belongs in a job file",
     "Configuration files (muster.yaml) and runtimes are for many jobs. A key that describes a single job belongs in "
     "its job file: command, nodes and name, for example, cannot be set in configuration.",
     "command: [python, train.py]    # in muster.yaml", "backend: ssh    # in muster.yaml"},
    {"E1204", "an unknown choice",
     "The key takes one of a few words. The message shows the nearest word, or all of them.", "framework: troch",
     "framework: torch"},
    {"E1205", "not a valid name for a job",
     "A name has 1 to 40 characters: a-z, 0-9 and -. It begins with a letter and does not end with a dash, so that "
     "it can be used in host names, file names and Kubernetes objects. If you leave it out, muster makes one.",
     "name: My_Job", "name: my-job"},
    {"E1206", "not a valid name for a group",
     "The rules are those for the name of a job: a-z, 0-9 and -, at most 40 characters, beginning with a letter. If "
     "a job has several groups, each of them needs a name.",
     "groups:\n  - {command: [./train]}\n  - {command: [./eval]}",
     "groups:\n  - {name: trainer, command: [./train]}\n  - {name: evaluator, command: [./eval]}"},
    {"E1207", "two groups with the same name",
     "Messages, logs and flags identify a group by its name, so each group needs its own.",
     "groups:\n  - {name: a, command: [./x]}\n  - {name: a, command: [./y]}",
     "groups:\n  - {name: a, command: [./x]}\n  - {name: b, command: [./y]}"},
    {"E1208", "not a valid name for a variable",
     "The name of an environment variable has 1 to 256 bytes, without `=` and without control characters.",
     "env: {\"A=B\": 1}", "env: {A: B}"},
    {"E1209", "not a valid label",
     "A label has a name of 1 to 256 bytes and a text of at most 1024 bytes, without control characters.",
     "labels: {\"\": x}", "labels: {team: x}"},
    {"E1210", "a file for a newer muster",
     "`version` is the version of the file format. This muster reads version 1 and could misread a newer format. "
     "Update muster, or write the file for version 1.",
     "version: 2", "version: 1"},
    {"E1211", "a flag that does not say which group it means",
     "The job has several groups, or no group with this name. Name the group in the key: groups.NAME.KEY.",
     "--set workers=4", "--set groups.trainer.workers=4"},
    {"E1212", "an unknown runtime",
     "A runtime is a file NAME.yaml in .muster/runtimes of the project, in ~/.config/muster/runtimes or in "
     "/etc/muster/runtimes. muster runtimes lists them.",
     "runtime: ../torch-gpu", "runtime: torch-gpu"},
}};

}  // namespace

std::span<const ExplainRow> explain_name_rows() { return kNameRows; }

}  // namespace muster
