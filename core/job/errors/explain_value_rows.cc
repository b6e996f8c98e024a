// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 14> kValueRows = {{
    {"E1101", "a value of the wrong kind",
     "The value of a key is a map, a list or a plain value. The file gives one of these, but the key takes another.",
     "restarts: 3", "restarts: {limit: 3}"},
    {"E1102", "not a whole number",
     "The key takes a whole number, written in digits: no fraction, no exponent, no word.", "workers: two",
     "workers: 2"},
    {"E1103", "a number out of range",
     "The number is less than the smallest or greater than the largest value that the key takes. The message names "
     "the limits.",
     "restarts: {limit: -1}", "restarts: {limit: 0}"},
    {"E1104", "a number that YAML readers understand differently",
     "YAML 1.1 reads 010 as eight, YAML 1.2 reads it as ten; YAML 1.1 reads 1:30 as ninety. muster keeps a text as "
     "you write it, but another tool that reads or rewrites the file may change it. If you mean a number, remove the "
     "leading zero. If you mean a text, put it in quotes.",
     "env: {MODE: 010}", "env: {MODE: \"010\"}"},
    {"E1105", "a word that some YAML readers take as true or false",
     "YAML 1.1 reads yes, no, on and off as true or false; YAML 1.2 reads them as texts. If you mean a text, put it "
     "in quotes.",
     "env: {CACHE: no}", "env: {CACHE: \"no\"}"},
    {"E1106", "not a duration",
     "A duration is a whole number with a unit: ns, us, ms, s, m, h or d. You can write several, the largest unit "
     "first: 1h30m. Only 0 needs no unit.",
     "timeouts: {run: 90 minutes}", "timeouts: {run: 1h30m}"},
    {"E1107", "not a size",
     "A size is a whole number with a unit: KiB, MiB, GiB, TiB (powers of 1024) or kB, MB, GB, TB (powers of 1000). "
     "Only 0 needs no unit. A bare 2048 is refused, because some people mean bytes and others MiB.",
     "worker: {memory: 4G}", "worker: {memory: 4GiB}"},
    {"E1108", "not a number or a range of nodes", "`nodes` is a number, or MIN..MAX with two dots.", "nodes: 2:4",
     "nodes: 2..4"},
    {"E1110", "not a rule for failures",
     "A rule in never_on or always_on is one of these: `exit N` with N from 1 to 255; the name of a signal, such as "
     "SIGBUS; `oom` (out of memory); `exception NAME` (a Python exception); `message TEXT` (a part of the rank's "
     "failure message; * stands for any text); `lost` (a lost node); `hang`. `group NAME` before a rule limits the "
     "rule to that group. `group NAME` alone means every failure of that group.",
     "restarts: {never_on: [2]}", "restarts: {never_on: [exit 2]}"},
    {"E1111", "a reference that does not say where the secret is",
     "A job file does not contain secrets. `from` says where muster reads the value when you submit the job: "
     "env:NAME (a variable of your environment), file:PATH (the text of a file) or cmd:PROGRAM ARGS (the output of a "
     "program; no shell). With `optional: true`, the variable stays unset if there is no value.",
     "env: {TOKEN: {from: TOKEN}}", "env: {TOKEN: {from: \"env:TOKEN\"}}"},
    {"E1112", "a command written as one text",
     "`command` is a list: the program, then each argument as an entry of its own. No shell reads it, so spaces and "
     "quotes in arguments are safe. If you need a shell, name it: [bash, -c, \"…\"].",
     "command: python train.py", "command: [python, train.py]"},
    {"E1113", "a key without a value",
     "There is nothing after the colon, or the value is null. Write an empty text as \"\". If you do not need the "
     "key, remove it.",
     "env: {EMPTY: }", "env: {EMPTY: \"\"}"},
    {"E1114", "neither true nor false", "The key takes true or false, in lower case.",
     "env: {TOKEN: {from: \"env:TOKEN\", optional: yes}}", "env: {TOKEN: {from: \"env:TOKEN\", optional: true}}"},
    {"E1115", "not the name of a Python module",
     "`warm` takes auto, off, or a list of modules. Write a module as in an `import` statement: letters, digits and "
     "underscores, with dots between the parts. muster imports the modules once on each node, before it forks the "
     "ranks.",
     "warm: [torch-vision]", "warm: [torchvision]"},
}};

}  // namespace

std::span<const ExplainRow> explain_value_rows() { return kValueRows; }

}  // namespace muster
