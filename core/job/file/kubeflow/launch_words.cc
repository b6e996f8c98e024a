// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/launch_words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/references.h"
#include "core/job/interpreters.h"
#include "core/job/python_command.h"

namespace muster {
namespace {

using Words = std::vector<YamlNode>;

constexpr std::array<std::string_view, 8> kTorchSwitches = {"standalone",         "module",  "no-python", "run-path",
                                                            "virtual-local-rank", "use-env", "m",         "help"};

constexpr std::array<std::string_view, 15> kUsed = {"nnodes",      "nproc-per-node", "max-restarts",      "standalone",
                                                    "module",      "no-python",      "use-env",           "node-rank",
                                                    "master-addr", "master-port",    "rdzv-backend",      "rdzv-id",
                                                    "rdzv-conf",   "rdzv-endpoint",  "virtual-local-rank"};
constexpr std::array<std::string_view, 18> kWithoutEffect = {"local-addr",
                                                             "monitor-interval",
                                                             "start-method",
                                                             "role",
                                                             "log-dir",
                                                             "redirects",
                                                             "tee",
                                                             "r",
                                                             "t",
                                                             "run-path",
                                                             "local-ranks-filter",
                                                             "duplicate-stdout-filters",
                                                             "numa-binding",
                                                             "logs-specs",
                                                             "duplicate-stderr-filters",
                                                             "event-log-handler",
                                                             "shutdown-timeout",
                                                             "signals-to-handle"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

YamlNode word_at(const YamlNode& where, std::string text) { return text_node(std::move(text), where.where); }

struct TorchrunStart {
  size_t arguments = 0;    // index of the first word of torchrun's own arguments
  Words interpreter;       // that the command names; empty: none
  bool by_launch = false;  // torch.distributed.launch
};

// nullopt: it is not torchrun.
std::optional<TorchrunStart> torchrun_start(const Words& words) {
  if (words.empty()) return std::nullopt;
  if (last_part(words[0].text) == "torchrun") return TorchrunStart{1, {}, false};
  const auto python = python_command(texts_of(words));
  if (!python || python->kind != PythonCommand::Kind::module) return std::nullopt;
  if (python->program != "torch.distributed.run" && python->program != "torch.distributed.launch") return std::nullopt;
  return TorchrunStart{python->arguments,
                       Words(words.begin(), words.begin() + static_cast<ptrdiff_t>(python->interpreter.size())),
                       python->program == "torch.distributed.launch"};
}

bool is_flag(std::string_view word) {
  return word.starts_with('-') && word.find_first_not_of('-') != std::string_view::npos;
}

std::string dashed(std::string_view flag) {
  std::string name(flag.substr(flag.find_first_not_of('-')));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// The full name of a flag that is written with two dashes; the name itself if none or several begin with it.
std::string full_name(const std::string& word, const std::string& name) {
  if (!word.starts_with("--") || torchrun_flag(name) || is_one_of(kTorchSwitches, name)) return name;
  std::vector<std::string_view> found;
  for (const auto& names :
       {std::span<const std::string_view>(kUsed), std::span<const std::string_view>(kWithoutEffect)})
    std::copy_if(names.begin(), names.end(), std::back_inserter(found),
                 [&](std::string_view each) { return each.starts_with(name); });
  return found.size() == 1 ? std::string(found.front()) : name;
}

// Splits "name=value"; the value is empty if there is none.
std::pair<std::string, std::optional<std::string>> parted(const std::string& name) {
  const size_t equal = name.find('=');
  if (equal == std::string::npos) return {name, std::nullopt};
  return {name.substr(0, equal), name.substr(equal + 1)};
}

bool is_plain_command(std::string_view text) {
  return !text.empty() && text.find_first_of("\"'`$;|&<>(){}[]*?!#~\\\n") == std::string_view::npos;
}

// Whether the words start a program that muster takes apart. Other words can be builtins of the shell. A reference with
// spaces in its value is several words of a shell, so it stays there, except in torchrun's own flags.
bool is_launch(const Words& words) {
  const auto torchrun = torchrun_launch(words, "python");
  const Words& program = torchrun ? torchrun->program : words;
  const bool filled = std::any_of(program.begin(), program.end(), [](const YamlNode& word) {
    return word.text.find(kReferenceMark) != std::string::npos;
  });
  return !words.empty() && !filled && (torchrun || is_python(texts_of(words)) || starts_mpirun(words));
}

// Lines that end with a backslash are joined.
std::string joined_lines(std::string text) {
  for (size_t at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n", at)) text.replace(at, 2, " ");
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The Python of a virtual environment is beside its torchrun. Folders of the system may have only python3.
std::string python_of(const std::string& torchrun, const std::string& python) {
  const size_t slash = torchrun.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : torchrun.substr(0, slash);
  const bool system = folder == "/bin" || folder == "/usr/bin" || folder == "/usr/local/bin";
  return folder.empty() || system ? python : folder + "/python";
}

}  // namespace

std::vector<std::string> texts_of(const Words& words) {
  std::vector<std::string> texts;
  for (const YamlNode& word : words) texts.push_back(word.text);
  return texts;
}

bool starts_mpirun(const Words& words) {
  constexpr std::array<std::string_view, 4> kPrograms{"mpirun", "mpiexec", "mpiexec.hydra", "orterun"};
  return !words.empty() && is_one_of(kPrograms, last_part(words.front().text));
}

Words without_shell(Words words) {
  // Other flags change what the shell does: -l reads the profile of the user, -x prints the command.
  const bool shell = words.size() == 3 && is_shell_name(words[0].text) && words[1].text.starts_with('-') &&
                     words[1].text.ends_with('c') && words[1].text.find_first_not_of("ceu", 1) == std::string::npos;
  if (!shell) return words;
  std::string text = joined_lines(words[2].text);
  if (text.starts_with("exec ")) text.erase(0, 5);
  if (!is_plain_command(text)) return words;
  Words plain;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find_first_not_of(" \t", at);
    if (begin == std::string::npos) break;
    const size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    plain.push_back(word_at(words[2], text.substr(begin, end - begin)));
    at = end;
  }
  return is_launch(plain) ? plain : words;
}

std::optional<TorchrunFlag> torchrun_flag(std::string_view name) {
  if (is_one_of(kUsed, name)) return TorchrunFlag::used;
  if (is_one_of(kWithoutEffect, name)) return TorchrunFlag::without_effect;
  return std::nullopt;
}

std::optional<Launch> torchrun_launch(const Words& words, const std::string& python) {
  const auto start = torchrun_start(words);
  if (!start) return std::nullopt;
  size_t at = start->arguments;
  Launch launch;
  for (; at < words.size() && is_flag(words[at].text); ++at) {
    const auto [typed, value] = parted(words[at].text);
    const std::string name = full_name(typed, dashed(typed));
    if (value) {
      launch.flags[name] = word_at(words[at], *value);
    } else if (is_one_of(kTorchSwitches, name) || at + 1 == words.size()) {
      launch.flags[name == "m" ? "module" : name] = word_at(words[at], "");
    } else {
      launch.flags[name] = words[at + 1];
      ++at;
    }
  }
  if (at < words.size() && words[at].text == "--") ++at;
  launch.passes_local_rank = start->by_launch && !launch.flags.contains("use-env");
  if (!launch.flags.contains("no-python"))
    launch.program =
        start->interpreter.empty() ? Words{word_at(words[0], python_of(words[0].text, python))} : start->interpreter;
  if (launch.flags.contains("module")) launch.program.push_back(word_at(words[0], "-m"));
  launch.program.insert(launch.program.end(), words.begin() + static_cast<ptrdiff_t>(at), words.end());
  if (at == words.size()) launch.program.clear();
  return launch;
}

}  // namespace muster
