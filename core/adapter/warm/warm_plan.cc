#include "core/adapter/warm/warm_plan.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/base/short_hash.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 18> kLongImports = {
    "torch",      "jax",   "tensorflow", "mlx",    "xgboost", "transformers", "lightning", "pytorch_lightning",
    "accelerate", "numpy", "deepspeed",  "pandas", "scipy",   "sklearn",      "keras",     "paddle",
    "horovod",    "flax"};

using Variables = std::map<std::string_view, std::string_view>;

Variables variables_of(const SpawnRequest& request) {
  Variables variables;
  for (const std::string_view entry : request.environment) {
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return variables;
}

// Read when an interpreter starts or a library is loaded: threads, buffers, hash seeds.
bool read_at_start(std::string_view name) {
  for (const std::string_view prefix : {"PYTHON", "OMP_", "MKL_", "OPENBLAS_", "KMP_", "GOMP_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// What differs from one terminal, or one command, to the next; no import depends on it.
bool tells_terminal(std::string_view name) {
  constexpr std::array<std::string_view, 17> kNames = {"_",
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
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool tells_place(std::string_view name, const WarmTask& task) {
  const bool placed = name.starts_with("MUSTER_") || task.place.count(std::string(name)) > 0;
  return tells_terminal(name) || (placed && !read_at_start(name));
}

bool same_program(const SpawnRequest& one, const SpawnRequest& other, size_t words) {
  return other.argv.size() >= words &&
         std::equal(one.argv.begin(), one.argv.begin() + static_cast<ptrdiff_t>(words), other.argv.begin());
}

// By which whoever looks for what a job left behind knows its processes (ProcessHost::end_marked).
bool is_mark(std::string_view name) { return name == "MUSTER_JOB_ID" || name == "MUSTER_NODE"; }

// A parent is no rank: it has a rank's variables, but not its place.
std::vector<std::string> shared_environment(const SpawnRequest& rank, const WarmTask& task) {
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables_of(rank)) {
    if (is_mark(name) || !tells_place(name, task)) environment.push_back(std::string(name) + "=" + std::string(value));
  }
  return environment;
}

bool has(const SpawnRequest& request, std::string_view name) {
  const Variables variables = variables_of(request);
  const auto found = variables.find(name);
  return found != variables.end() && !found->second.empty();
}

}  // namespace

std::string WarmPlan::key() const {
  const std::string kind = std::to_string(static_cast<int>(command.kind));
  return short_hash(command.interpreter[0] + '\n' + kind + '\n' + (file.empty() ? command.program : file) + '\n');
}

std::optional<WarmPlan> warm_plan(const std::vector<SpawnRequest>& ranks, const WarmTask& task) {
  if (ranks.empty() || ranks[0].tty || ranks[0].stdout_path.empty() || ranks[0].stderr_path.empty())
    return std::nullopt;
  const SpawnRequest& first = ranks[0];
  const std::optional<PythonCommand> command = python_command(first.argv);
  if (!command || !command->customized || command->interpreter[0].find("pypy") != std::string::npos)
    return std::nullopt;
  if (has(first, "PYTHONINSPECT")) return std::nullopt;
  WarmPlan plan{first, *command, "", ""};
  plan.parent.environment = shared_environment(first, task);
  plan.parent.stdout_path.clear();
  plan.parent.stderr_path.clear();
  plan.parent.memory_limit_bytes = 0;
  plan.parent.cgroup_name = "warm-parent";
  if (command->kind == PythonCommand::Kind::script) {
    std::error_code error;
    plan.file = fs::path(first.workdir) / command->program;
    if (!fs::is_regular_file(plan.file, error))
      return std::nullopt;  // a folder, or an error that the program will tell
    plan.path0 = fs::canonical(plan.file, error).parent_path();
  } else if (command->kind == PythonCommand::Kind::module) {
    plan.path0 = first.workdir;
  }
  return plan;
}

bool fits(const WarmPlan& plan, const SpawnRequest& rank, const WarmTask& task) {
  const SpawnRequest& parent = plan.parent;
  if (rank.tty || rank.workdir != parent.workdir || rank.cpus.size() != parent.cpus.size()) return false;
  if (!same_program(parent, rank, plan.command.arguments) || rank.settings != parent.settings) return false;
  const Variables theirs = variables_of(rank);
  const Variables shared = variables_of(parent);
  const auto may_differ = [&](std::string_view name) { return tells_place(name, task); };
  for (const auto& [name, value] : shared) {
    const auto found = theirs.find(name);
    if ((found == theirs.end() || found->second != value) && !may_differ(name)) return false;
  }
  return std::all_of(theirs.begin(), theirs.end(),
                     [&](const auto& entry) { return shared.count(entry.first) > 0 || may_differ(entry.first); });
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
