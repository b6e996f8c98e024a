// SPDX-License-Identifier: Apache-2.0
#include "core/client/preflight/program_check.h"

#include <filesystem>
#include <optional>
#include <regex>

#include "core/base/text.h"
#include "core/client/beginning_of.h"
#include "core/client/guess/framework_guess.h"
#include "core/client/guess/python_modules.h"
#include "core/client/preflight/preflight.h"
#include "core/client/run_program.h"
#include "core/job/rules/framework_rules.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

// Exit code 0: the interpreter finds the module. The arguments are the module and the folder of the program.
constexpr const char* kFind =
    "import importlib.util, sys; sys.path.insert(0, sys.argv[2]); "
    "sys.exit(3 if importlib.util.find_spec(sys.argv[1]) is None else 0)";
constexpr int kNotFound = 3;

// The module that programs of the framework import, and its name for pip. Empty: not checked.
struct Package {
  std::string module;
  std::string name;
};

Package package_of(Framework framework) {
  switch (framework) {
    case Framework::jax: return {"jax", "jax"};
    case Framework::tensorflow: return {"tensorflow", "tensorflow"};
    case Framework::mlx: return {"mlx", "mlx"};
    case Framework::xgboost: return {"xgboost", "xgboost"};
    case Framework::paddle: return {"paddle", "paddlepaddle"};
    case Framework::horovod: return {"horovod", "horovod"};
    default: return {};
  }
}

// Whether a line of the text imports the module in any case: not in a function, a condition, a `try` or a text.
bool always_imports(const std::string& text, const std::string& module) {
  bool in_text = false;  // between triple quotes
  for (const std::string& line : split(text, '\n')) {
    const bool import = !in_text && (line.starts_with("import ") || line.starts_with("from "));
    if (import && imports_module(imported_modules(line + "\n"), module)) return true;
    for (size_t at = 0; at + 2 < line.size(); ++at) {
      if (line.compare(at, 3, "\"\"\"") != 0 && line.compare(at, 3, "'''") != 0) continue;
      in_text = !in_text;
      at += 2;
    }
  }
  return false;
}

// Whether the program always replaces the variable: a statement that is not indented.
bool always_sets(const std::string& text, const std::string& variable) {
  const std::regex sets("^(os\\.)?environ\\[[\"']" + variable + "[\"']\\]\\s*=[^=]");
  for (const std::string& line : split(text, '\n')) {
    if (std::regex_search(line, sets)) return true;
  }
  return false;
}

// The environment of the group's ranks, as far as it is known before the start.
Environment environment_of(const JobSpec& spec, const GroupSpec& group, Environment environment) {
  for (const auto* variables : {&spec.env, &group.env}) {
    for (const auto& [name, value] : *variables) {
      if (!value.secret) environment[name] = value.literal;
    }
  }
  return environment;
}

bool lies_in(const std::vector<fs::path>& folders, const std::string& module) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / module, ignored)) return true;
  }
  return false;
}

struct Program {
  const GroupSpec& group;
  std::string script;  // as in the command
  std::string text;
  SourceRange where;
};

// The interpreter is asked only if its folder of packages, in which almost all are, does not have the module.
bool is_missing(const JobSpec& spec, const Program& program, const std::string& python, const std::string& module,
                const Environment& environment) {
  if (lies_in(installed_packages(fs::path(python).parent_path()).folders, module)) return false;
  const std::string folder = (fs::path(spec.workdir) / program.script).parent_path().string();
  const auto asked =
      run_program({.argv = {python, "-c", kFind, module, folder}, .environment = environment, .workdir = spec.workdir});
  return asked.ok() && asked->exit_code == kNotFound;
}

// Then its packages may be in folders that are not known before it runs.
bool adds_folders(const std::string& text) {
  return text.find("sys.path") != std::string::npos || text.find("addsitedir") != std::string::npos;
}

std::optional<Diagnostic> missing_package(const JobSpec& spec, const Program& program, const Environment& shell) {
  const Package package = package_of(spec.framework);
  if (package.module.empty() || !always_imports(program.text, package.module) || adds_folders(program.text))
    return std::nullopt;
  const std::string path = variable_of_ranks(spec, program.group, "PATH", shell);
  const std::string python = find_program(program.group.command[0], path, spec.workdir);
  if (python.empty()) return std::nullopt;
  if (!is_missing(spec, program, python, package.module, environment_of(spec, program.group, shell)))
    return std::nullopt;
  return Diagnostic{.code = "E1412",
                    .where = program.where,
                    .message = program.script + " imports " + package.module + ", which " + python + " does not have",
                    .help = python + " -m pip install " + package.name +
                            ", or begin the command with the interpreter of the environment that has it"};
}

std::vector<Diagnostic> variables_set(const JobSpec& spec, const Program& program) {
  std::vector<Diagnostic> found;
  for (const std::string_view variable : fixed_variables(spec.framework)) {
    const std::string name(variable);
    if (!always_sets(program.text, name)) continue;
    found.push_back(
        Diagnostic{.code = "E1413",
                   .where = program.where,
                   .message = program.script + " sets " + name +
                              " itself, which muster sets for each rank and attempt with framework " +
                              std::string(to_string(spec.framework)),
                   .help = "remove the line, or write  os.environ.setdefault(\"" + name +
                           "\", …)  to keep it for runs without muster. If the program needs addresses of its own, "
                           "start it with  muster run --framework plain"});
  }
  return found;
}

}  // namespace

std::vector<Diagnostic> check_framework_programs(const JobSpec& spec, const Environment& environment,
                                                 const Places& places, const std::string& origin) {
  std::vector<Diagnostic> found;
  for (size_t i = 0; i < spec.groups.size(); ++i) {
    const auto script = python_script(spec.groups[i].command);
    if (!script) continue;
    const Program program{spec.groups[i], *script, beginning_of((fs::path(spec.workdir) / *script).string()),
                          place_of(places, "groups." + std::to_string(i) + ".command", origin)};
    for (Diagnostic& each : variables_set(spec, program)) found.push_back(std::move(each));
    if (auto missing = missing_package(spec, program, environment)) found.push_back(std::move(*missing));
  }
  return found;
}

}  // namespace muster
