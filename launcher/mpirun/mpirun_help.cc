// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_help.h"

#include "core/base/text.h"
#include "core/client/view/style.h"
#include "core/job/mpirun/mpirun_flags.h"
#include "launcher/cli/command_line.h"

namespace muster {
namespace {

using Kind = MpirunFlag::Kind;

constexpr size_t kColumns = 80;
constexpr size_t kIndent = 6;

// "-np, -n, -c": each name with as many dashes as people usually write.
std::vector<std::string> spellings(const MpirunFlag& flag) {
  std::vector<std::string> all;
  for (const std::string& name : flag.names) all.push_back((name.size() <= 2 ? "-" : "--") + name);
  return all;
}

std::string help_of(const MpirunFlag& flag) {
  const std::string names = join(spellings(flag), ", ") + (flag.values.empty() ? "" : " " + flag.values);
  return "  " + names + "\n" + std::string(kIndent, ' ') + wrapped(flag.ours, kColumns, kIndent) + "\n";
}

std::string names_of(Kind kind) {
  std::vector<std::string> names;
  for (const MpirunFlag& flag : mpirun_flags()) {
    if (flag.kind != kind) continue;
    const auto its = spellings(flag);
    names.insert(names.end(), its.begin(), its.end());
  }
  return join(names, " ");
}

std::string rows_of(Kind kind, const std::string& head) {
  std::string text = head + "\n|---|---|\n";
  for (const MpirunFlag& flag : mpirun_flags()) {
    if (flag.kind != kind) continue;
    std::string ours = flag.ours.empty() ? "needs no effect" : flag.ours;
    for (size_t at = ours.find('|'); at != std::string::npos; at = ours.find('|', at + 2)) ours.insert(at, "\\");
    std::string values = flag.values;
    for (size_t at = values.find('|'); at != std::string::npos; at = values.find('|', at + 2)) values.insert(at, "\\");
    text += "| `" + join(spellings(flag), "` `") + "`" + (values.empty() ? "" : " " + values) + " | " + ours + " |\n";
  }
  return text;
}

}  // namespace

CommandFacts mpirun_facts() {
  CommandFacts facts{
      .usage = "mpirun [flags] PROGRAM [arguments] [: [flags] PROGRAM …]",
      .summary = "Runs MPI programs like mpirun of Open MPI and mpiexec of Hydra.",
      .example = "muster mpirun -np 4 ./heat --steps 100\nmuster mpirun -H a1:4,a2:4 -x OMP_NUM_THREADS=2 ./heat",
      .note =
          "-NAME and --NAME are the same. Words after the program belong to the program; `:` begins another program of "
          "the same world. Without -np there is a rank on each slot: on this machine, each core is a slot.",
      .noun = "a program",
      .most_words = 1};
  for (const MpirunFlag& flag : mpirun_flags()) {
    if (flag.kind != Kind::used) continue;
    facts.flags.push_back({join(spellings(flag), ","), flag.values, flag.ours, {}, false});
  }
  return facts;
}

std::string mpirun_help() {
  const CommandFacts facts = mpirun_facts();
  std::string text = facts.summary + "\n\nusage: muster " + facts.usage + "\n\n";
  for (const MpirunFlag& flag : mpirun_flags()) {
    if (flag.kind == Kind::used) text += help_of(flag);
  }
  text += "\naccepted without effect:\n  " + wrapped(names_of(Kind::ignored), kColumns, 2) + "\n";
  text += "\nnot available; the message says what to use instead:\n  " + wrapped(names_of(Kind::refused), kColumns, 2) +
          "\n";
  std::string example = facts.example;
  for (size_t at = example.find('\n'); at != std::string::npos; at = example.find('\n', at + 1))
    example.insert(at + 1, "  ");
  return text + "\n" + wrapped(facts.note, kColumns) + "\n\nexample:\n  " + example + "\n";
}

std::string mpirun_flags_markdown() { return rows_of(Kind::used, "| flag | what muster does |"); }

std::string mpirun_other_flags_markdown() {
  return "## Accepted without effect\n\n" + rows_of(Kind::ignored, "| flag | reason |") +
         "\n## Not available\n\nmuster rejects these flags with E1703 before anything starts.\n\n" +
         rows_of(Kind::refused, "| flag | instead |");
}

}  // namespace muster
