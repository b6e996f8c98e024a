// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/program.h"

#include <filesystem>

#include "core/base/text.h"
#include "core/client/helper_python.h"
#include "core/client/python_choice.h"

namespace muster {
namespace {

// torchrun runs such a script as a function with @record, so an exception is written to the error file. This does the same.
// Its own imports ignore the current folder, where a file json.py may be.
constexpr const char* kRunPath = R"(import sys
folder = [place for place in sys.path[:1] if not place]
del sys.path[:len(folder)]
import faulthandler, json, os, runpy, time, traceback
sys.path[:0] = folder
faulthandler.enable()
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except Exception as error:
    path = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if path:
        more = {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}
        with open(path, "w") as file:
            json.dump({"message": {"message": f"{type(error).__name__}: {error}", "extraInfo": more}}, file)
    raise
)";

// `python -m` also finds modules in the current folder.
constexpr const char* kFindModule = R"(import importlib.util
sys.path[:0] = folder
sys.exit(3 if importlib.util.find_spec(sys.argv[1]) is None else 0)
)";

std::string variable(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

}  // namespace

Result<std::string> torchrun_interpreter(const ProgramPlace& place, const std::string& script) {
  const std::string path = variable(place.environment, "PATH");
  const std::string chosen = variable(place.environment, "PYTHON_EXEC");
  if (!chosen.empty()) {
    if (!find_program(chosen, path, place.workdir).empty()) return chosen;
    return Status(Code::not_found, "PYTHON_EXEC is `" + escaped(chosen) + "`, which is not a program");
  }
  for (const std::string& program : {place.called, script}) {
    std::string beside = python_beside(program, place.workdir);
    if (!beside.empty()) return beside;
  }
  for (const char* name : {"python3", "python"}) {
    std::string found = find_program(name, path, place.workdir);
    if (!found.empty()) return found;
  }
  return Status(Code::not_found,
                "no python3 is in PATH; activate an environment, or set PYTHON_EXEC to an interpreter");
}

Result<std::vector<std::string>> torchrun_command(const TorchrunFlags& flags, const ProgramPlace& place) {
  std::vector<std::string> command;
  if (!flags.no_python || flags.run_path) {
    const bool typed = !flags.interpreter.empty() && variable(place.environment, "PYTHON_EXEC").empty();
    auto interpreter = typed ? Result<std::string>(flags.interpreter)
                             : torchrun_interpreter(place, flags.module ? "" : flags.training_script);
    if (!interpreter.ok()) return interpreter.status();
    command = {*interpreter, "-u"};
  }
  if (flags.run_path) {
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::path(place.workdir) / flags.training_script, ignored)) {
      return Status(Code::not_found, "there is no script `" + escaped(flags.training_script) + "` for --run-path");
    }
    command.insert(command.end(), {"-c", kRunPath});
  } else if (flags.module) {
    command.push_back("-m");
  }
  command.push_back(flags.training_script);
  if (flags.local_rank_argument) command.push_back("--local-rank=${local_rank}");
  command.insert(command.end(), flags.training_script_args.begin(), flags.training_script_args.end());
  return command;
}

Status find_module(const std::string& interpreter, const std::string& module,
                   const std::map<std::string, std::string>& environment, const std::string& workdir) {
  const std::string first = module.substr(0, module.find('.'));
  HelperProgram asked = helper_python(interpreter, kFindModule, environment, workdir);
  asked.argv.push_back(first);
  const auto answer = run_program(asked);
  constexpr int kNone = 3;
  if (first.empty() || !answer.ok() || answer->exit_code != kNone) return Status();
  return Status(Code::not_found, interpreter + " has no module `" + escaped(first) +
                                     "`; activate the environment that has it, or set PYTHON_EXEC to its python");
}

}  // namespace muster
