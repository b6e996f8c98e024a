#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 14> kValueRows = {{
    {"E1101", "a value of the wrong kind",
     "The key wants a map, a list or a plain value, and the file gives another of the three.", "restarts: 3",
     "restarts: {limit: 3}"},
    {"E1102", "not a whole number",
     "The key counts something, so it takes digits only: no fraction, no exponent, no word.", "workers: two",
     "workers: 2"},
    {"E1103", "a number out of range",
     "The number is below the least or above the greatest that the key takes; the message names both.",
     "restarts: {limit: -1}", "restarts: {limit: 0}"},
    {"E1104", "a number that readers of YAML understand differently",
     "010 is eight to YAML 1.1 and ten to YAML 1.2; 1:30 is ninety to YAML 1.1. muster keeps texts as you write "
     "them, but "
     "another tool that reads or rewrites the file would not. Leave the zero out of a number; quote a text.",
     "env: {MODE: 010}", "env: {MODE: \"010\"}"},
    {"E1105", "a word that YAML takes for true or false",
     "yes, no, on and off are truth values to YAML 1.1 and texts to YAML 1.2. Quotes say that a text is meant.",
     "env: {CACHE: no}", "env: {CACHE: \"no\"}"},
    {"E1106", "not a duration",
     "A duration is a whole number with a unit: ns us ms s m h d. Several may follow one another, largest first. "
     "Only 0 needs no unit.",
     "timeouts: {run: 90 minutes}", "timeouts: {run: 1h30m}"},
    {"E1107", "not a size",
     "A size is a whole number with a unit: KiB MiB GiB TiB count in 1024, kB MB GB TB in 1000. Only 0 needs no "
     "unit: "
     "a bare 2048 means bytes to some and MiB to others.",
     "worker: {memory: 4G}", "worker: {memory: 4GiB}"},
    {"E1108", "not a number or range of nodes", "`nodes` is a number, or MIN..MAX with two dots.", "nodes: 2:4",
     "nodes: 2..4"},
    {"E1110", "not a failure",
     "Rules in never_on and always_on are `exit N` with N from 1 to 255, the name of a signal such as SIGBUS, `oom`, "
     "`exception NAME` of Python, `message TEXT` (a part of what the rank said last, * for anything), `lost` (a node), "
     "`hang`; before each may stand `group NAME`, which alone means every failure there.",
     "restarts: {never_on: [2]}", "restarts: {never_on: [exit 2]}"},
    {"E1111", "a reference that does not say where the value is",
     "Secrets are never written into a job file. `from` names where muster finds the value when you submit the "
     "job: "
     "env:NAME (your environment), file:PATH (the file's text) or cmd:PROGRAM ARGS (what the program prints; no "
     "shell). "
     "With `optional: true` a value that is not there leaves the variable unset.",
     "env: {TOKEN: {from: TOKEN}}", "env: {TOKEN: {from: \"env:TOKEN\"}}"},
    {"E1112", "a command written as one text",
     "`command` is a list: the program, then each argument as an entry of its own. No shell reads it, so blanks "
     "and quotes "
     "in arguments are safe. Where you do want a shell, name it: [bash, -c, \"…\"].",
     "command: python train.py", "command: [python, train.py]"},
    {"E1113", "a key without a value",
     "Nothing stands after the colon, or null does. An empty text is written \"\"; a key you do not need is left "
     "out.",
     "env: {EMPTY: }", "env: {EMPTY: \"\"}"},
    {"E1114", "neither true nor false", "The key takes true or false, in lower case.",
     "env: {TOKEN: {from: \"env:TOKEN\", optional: yes}}", "env: {TOKEN: {from: \"env:TOKEN\", optional: true}}"},
    {"E1115", "not the name of a Python module",
     "`warm` takes auto, off, or a list of modules as `import` names them: letters, digits and underscores, with dots "
     "between them. They are imported once on each node, before its ranks are forked.",
     "warm: [torch-vision]", "warm: [torchvision]"},
}};

}  // namespace

std::span<const ExplainRow> explain_value_rows() { return kValueRows; }

}  // namespace muster
