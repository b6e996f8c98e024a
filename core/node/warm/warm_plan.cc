// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_plan.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/short_hash.h"
#include "core/system/posix/program_search.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 18> kLongImports = {
    "torch",      "jax",   "tensorflow", "mlx",    "xgboost", "transformers", "lightning", "pytorch_lightning",
    "accelerate", "numpy", "deepspeed",  "pandas", "scipy",   "sklearn",      "keras",     "paddle",
    "horovod",    "flax"};

constexpr size_t kMostProgram = 4 << 20;  // bytes of the program's text that are part of its identity

using Variables = std::map<std::string_view, std::string_view>;

Variables variables_of(const SpawnRequest& request) {
  Variables variables;
  for (const std::string_view entry : request.environment) {
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return variables;
}

// Variables that are read when an interpreter starts or a library is loaded: threads, buffers, hash seeds.
bool read_at_start(std::string_view name) {
  for (const std::string_view prefix : {"PYTHON", "OMP_", "MKL_", "OPENBLAS_", "KMP_", "GOMP_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// Variables that differ from one terminal or command to the next.
constexpr std::array<std::string_view, 17> kTerminalNames = {"_",
                                                             "OLDPWD",
                                                             "PWD",
                                                             "SHLVL",
                                                             "SSH_CLIENT",
                                                             "SSH_CONNECTION",
                                                             "SSH_TTY",
                                                             "WINDOWID",
                                                             "TERM_SESSION_ID",
                                                             "TMUX",
                                                             "STY",
                                                             "TMUX_PANE",
                                                             "WINDOW",
                                                             "GPG_TTY",
                                                             "XDG_SESSION_ID",
                                                             "VTE_VERSION",
                                                             "KONSOLE_DBUS_SESSION"};

bool is_terminal_variable(std::string_view name) {
  return std::find(kTerminalNames.begin(), kTerminalNames.end(), name) != kTerminalNames.end();
}

bool is_rank_specific(std::string_view name, const WarmTask& task) {
  const bool placed = name.starts_with("MUSTER_") || task.place.count(std::string(name)) > 0;
  return is_terminal_variable(name) || (placed && !read_at_start(name));
}

// The arguments of a rank's command, without the value of --local-rank.
std::vector<std::string> arguments_of(const SpawnRequest& rank) {
  std::vector<std::string> words;
  for (size_t at = 0; at < rank.argv.size(); ++at) {
    const std::string& word = rank.argv[at];
    if (word == "--local_rank" || word == "--local-rank") {
      words.push_back(word), ++at;
    } else if (!word.starts_with("--local_rank=") && !word.starts_with("--local-rank=")) {
      words.push_back(word);
    }
  }
  return words;
}

std::string text_of(const std::string& path, size_t most) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  std::ifstream file(path);
  std::string text(error ? 0 : std::min<uintmax_t>(size, most), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

std::string interpreter_of(const SpawnRequest& rank) {
  for (const std::string& candidate : program_candidates(rank.argv[0], search_path(rank.environment))) {
    std::error_code error;
    const std::string path = fs::path(rank.workdir) / candidate;
    if (fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

// A script instead of an interpreter (pyenv's shims) chooses an interpreter each time it runs.
bool is_elf(const std::string& path) {
  return text_of(path, 4) ==
         "\x7f"
         "ELF";
}

std::string stamp_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return "";
  return std::to_string(found.st_mtim.tv_sec) + '.' + std::to_string(found.st_mtim.tv_nsec) + '/' +
         std::to_string(found.st_size) + '/' + std::to_string(found.st_ino);
}

// Variables by which ProcessHost::end_marked finds the processes of a job.
bool is_mark(std::string_view name) { return name == "MUSTER_JOB_ID" || name == "MUSTER_NODE"; }

// The parent's environment: the rank's variables without the rank-specific ones.
std::vector<std::string> shared_environment(const SpawnRequest& rank, const WarmTask& task) {
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables_of(rank)) {
    if (is_mark(name) || !is_rank_specific(name, task))
      environment.push_back(std::string(name) + "=" + std::string(value));
  }
  return environment;
}

bool has(const SpawnRequest& request, std::string_view name) {
  const Variables variables = variables_of(request);
  const auto found = variables.find(name);
  return found != variables.end() && !found->second.empty();
}

// With these variables, libraries pin their threads when they are loaded: in a parent, to the CPUs of one rank.
bool places_threads(const SpawnRequest& rank) {
  constexpr std::array<std::string_view, 4> kNames = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                                      "KMP_AFFINITY"};
  return !rank.cpus.empty() &&
         std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return has(rank, name); });
}

bool has_controlling_terminal(const SpawnRequest& rank) { return rank.tty && !rank.window; }

std::string identity_of(const WarmPlan& plan, const SpawnRequest& rank) {
  std::error_code error;
  const fs::path real = fs::canonical(plan.interpreter, error);
  std::string text = plan.interpreter + '\n' + real.string() + ' ' + stamp_of(real) + '\n';
  text += rank.workdir + '\n' + fs::canonical(rank.workdir, error).string() + '\n';
  for (const std::string& word : arguments_of(rank)) text += word + '\0';
  for (const std::string& entry : plan.parent.environment) {
    if (!is_mark(std::string_view(entry).substr(0, entry.find('=')))) text += entry + '\0';
  }
  return text + '\n' + (plan.file.empty() ? "" : text_of(plan.file, kMostProgram));
}

}  // namespace

std::string WarmPlan::key() const { return short_hash(identity); }

std::string WarmPlan::interpreter_key() const { return short_hash(interpreter); }

std::optional<WarmPlan> warm_plan(const std::vector<SpawnRequest>& ranks, const WarmTask& task) {
  if (ranks.empty() || has_controlling_terminal(ranks[0]) || ranks[0].stdout_path.empty() ||
      ranks[0].stderr_path.empty())
    return std::nullopt;
  const SpawnRequest& first = ranks[0];
  const std::optional<PythonCommand> command = python_command(first.argv);
  if (!command || !command->customized || command->interpreter[0].find("pypy") != std::string::npos)
    return std::nullopt;
  if (has(first, "PYTHONINSPECT") || places_threads(first)) return std::nullopt;
  WarmPlan plan{first, *command, "", "", "", interpreter_of(first)};
  if (!is_elf(plan.interpreter)) return std::nullopt;
  plan.parent.environment = shared_environment(first, task);
  plan.parent.stdout_path.clear();
  plan.parent.stderr_path.clear();
  plan.parent.tty = false;
  plan.parent.input.reset();
  plan.parent.memory_limit_bytes = 0;
  plan.parent.cgroup_name = "warm-parent";
  if (command->kind == PythonCommand::Kind::script) {
    std::error_code error;
    plan.file = fs::path(first.workdir) / command->program;
    if (!fs::is_regular_file(plan.file, error))
      return std::nullopt;  // a folder, or an error that the interpreter will report
    plan.path0 = fs::canonical(plan.file, error).parent_path();
  } else if (command->kind == PythonCommand::Kind::module) {
    plan.path0 = first.workdir;
  }
  plan.identity = identity_of(plan, first);
  return plan;
}

bool fits(const WarmPlan& plan, const SpawnRequest& rank, const WarmTask& task) {
  const SpawnRequest& parent = plan.parent;
  if (has_controlling_terminal(rank) || rank.workdir != parent.workdir || rank.cpus.size() != parent.cpus.size())
    return false;
  if (arguments_of(rank) != arguments_of(parent) || rank.settings != parent.settings) return false;
  const Variables theirs = variables_of(rank);
  const Variables shared = variables_of(parent);
  const auto may_differ = [&](std::string_view name) { return is_rank_specific(name, task); };
  for (const auto& [name, value] : shared) {
    const auto found = theirs.find(name);
    if ((found == theirs.end() || found->second != value) && !may_differ(name)) return false;
  }
  return std::all_of(theirs.begin(), theirs.end(),
                     [&](const auto& entry) { return shared.count(entry.first) > 0 || may_differ(entry.first); });
}

std::vector<std::string> place_names(const WarmTask& task) {
  std::vector<std::string> names(kTerminalNames.begin(), kTerminalNames.end());
  for (const std::string& name : task.place) {
    if (!read_at_start(name)) names.push_back(name);
  }
  return names;
}

bool imports_much(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string verb, name;
    if (!(words >> verb >> name) || (verb != "import" && verb != "from")) continue;
    const std::string_view package = std::string_view(name).substr(0, name.find_first_of(".,;"));
    if (std::find(kLongImports.begin(), kLongImports.end(), package) != kLongImports.end()) return true;
  }
  return false;
}

}  // namespace muster
