// SPDX-License-Identifier: Apache-2.0
// Help, completion and documentation, generated from the table of flags.
#include "core/base/text.h"
#include "core/client/view/style.h"
#include "launcher/cli/command_line.h"
#include "launcher/torchrun/torchrun_line.h"
#include "launcher/torchrun/torchrun_option.h"

namespace muster {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kIndent = 6;

std::string shown(bool) { return ""; }
std::string shown(const std::string& value) { return value; }
std::string shown(int64_t value) { return std::to_string(value); }
std::string shown(double) { return "0.1"; }
std::string shown(const std::vector<std::string>& value) { return join(value, ","); }

template <typename T>
std::string shown(const std::optional<T>& value) {
  return value ? shown(*value) : "";
}

std::string default_of(const TorchrunFlag& flag) {
  const TorchrunFlags defaults;
  return std::visit([&](auto place) { return shown(defaults.*place); }, flag.place);
}

std::string help_of(const TorchrunFlag& flag) {
  const std::string name = torchrun_spellings(flag) + (flag.placeholder.empty() ? "" : " " + flag.placeholder);
  const std::string given = default_of(flag);
  const std::string text = flag.ours + (given.empty() ? "" : "  [" + given + "]");
  return "  " + name + "\n" + std::string(kIndent, ' ') + wrapped(text, kColumns, kIndent) + "\n";
}

std::string names_of_all() {
  std::vector<std::string> names{"--help"};
  for (const TorchrunFlag& flag : torchrun_flags()) names.push_back(flag.name);
  return join(names, " ");
}

}  // namespace

CommandFacts torchrun_facts() {
  CommandFacts facts{
      .usage = "torchrun [flags] SCRIPT [its arguments]",
      .summary = "Runs a script like torchrun of torch 2.15, as a job of muster.",
      .example = "muster torchrun --nproc-per-node 2 train.py --epochs 3",
      .note =
          "PET_NPROC_PER_NODE=4 sets --nproc-per-node 4 unless the flag is typed; the other flags have such variables "
          "too. Words after the script belong to the script. Names may be shortened, and written with `_`.",
      .noun = "a script",
      .most_words = 1};
  for (const TorchrunFlag& flag : torchrun_flags()) {
    const std::string letter = flag.letter == 0 ? "" : std::string("-") + flag.letter + ",";
    facts.flags.push_back({letter + flag.name, flag.placeholder, flag.ours, flag.choices, false});
  }
  return facts;
}

std::string torchrun_help() {
  const CommandFacts facts = torchrun_facts();
  std::string text = facts.summary + "\n\nusage: muster " + facts.usage + "\n\n";
  for (const TorchrunFlag& flag : torchrun_flags()) text += help_of(flag);
  return text + help_of(torchrun_help_flag()) + "\n" + wrapped(facts.note, kColumns) + "\n\nexample:\n  " +
         facts.example + "\n";
}

std::string torchrun_completion(const std::string& shell) {
  const std::string names = names_of_all();
  if (shell == "tcsh") return "complete torchrun 'c/--/(" + join(split(names, ' '), " ") + ")/' 'p/*/f/'\n";
  const std::string bash = "complete -o default -W '" + names + "' torchrun\n";
  return shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" + bash : bash;
}

std::string torchrun_flags_markdown() {
  std::string text = "| flag | default | what muster does |\n|---|---|---|\n";
  for (const TorchrunFlag& flag : torchrun_flags()) {
    const std::string name = (flag.letter == 0 ? "" : std::string("`-") + flag.letter + "` ") + "`" + flag.name + "`";
    const std::string given = default_of(flag);
    text += "| " + name + " | " + (given.empty() ? "" : "`" + given + "`") + " | " + flag.ours + " |\n";
  }
  return text;
}

}  // namespace muster
