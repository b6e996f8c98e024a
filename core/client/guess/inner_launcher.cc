// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/inner_launcher.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/job/interpreters.h"
#include "core/job/python_command.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

struct Launcher {
  std::string name;     // as the user types it
  std::string command;  // "torchrun" of `muster torchrun`; empty: muster has no such command
  size_t arguments = 1;
};

constexpr std::array<std::string_view, 4> kMpirun = {"mpirun", "mpiexec", "mpiexec.hydra", "orterun"};

std::optional<Launcher> launcher_of(const Words& command) {
  if (command.empty()) return std::nullopt;
  const std::string name(last_part(command[0]));
  if (name == "torchrun") return Launcher{name, "torchrun"};
  if (std::find(kMpirun.begin(), kMpirun.end(), name) != kMpirun.end()) return Launcher{name, "mpirun"};
  if (name == "deepspeed" || name == "horovodrun" || name == "accelerate-launch") return Launcher{name, ""};
  if (name == "accelerate" && command.size() > 1 && command[1] == "launch") return Launcher{"accelerate launch", "", 2};
  const auto python = python_command(command);
  if (!python || python->kind != PythonCommand::Kind::module) return std::nullopt;
  const std::string& module = python->program;
  // torch.distributed.launch passes --local-rank to the script, which `muster torchrun` does not.
  if (module == "torch.distributed.run") return Launcher{module, "torchrun", python->arguments};
  if (module == "torch.distributed.launch" || module == "accelerate.commands.launch")
    return Launcher{module, "", python->arguments};
  return std::nullopt;
}

// Whether a flag says that this launcher is one of several nodes. Launchers accept _ and - in names.
bool is_one_of_several(const Words& command) {
  for (size_t at = 0; at < command.size(); ++at) {
    std::string flag = command[at].substr(0, command[at].find('='));
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (flag == "--node-rank" || flag == "--machine-rank") return true;
    if (flag != "--nnodes" && flag != "--num-machines" && flag != "--num-nodes") continue;
    const std::string next = at + 1 < command.size() ? command[at + 1] : "";
    const std::string value = flag.size() < command[at].size() ? command[at].substr(flag.size() + 1) : next;
    if (value != "1" && value != "1:1") return true;
  }
  return false;
}

// "python3 train.py --lr 1", from the script on; empty: the launcher starts a module or another program, or it is not clear
// which word is the script.
std::string script_line(const Words& command, size_t from) {
  constexpr std::array<std::string_view, 4> kNoScript = {"-m", "--module", "--no-python", "--no_python"};
  for (size_t at = from; at < command.size(); ++at) {
    if (std::find(kNoScript.begin(), kNoScript.end(), command[at]) != kNoScript.end()) return "";
    if (!command[at].ends_with(".py") || command[at].starts_with('-')) continue;
    Words words(command.begin() + static_cast<std::ptrdiff_t>(at), command.end());
    words.insert(words.begin(), "python3");
    return shell_line(words);
  }
  return "";
}

}  // namespace

std::string launcher_note(const Words& command, const std::string& ranks) {
  const auto launcher = launcher_of(command);
  if (!launcher || is_one_of_several(command)) return "";
  const std::string script = script_line(command, launcher->arguments);
  std::string instead;
  if (launcher->command != "mpirun")
    instead = "muster run -n " + ranks + " -- " + (script.empty() ? "PROGRAM" : script);
  if (!launcher->command.empty()) {
    Words words(command.begin() + static_cast<std::ptrdiff_t>(launcher->arguments), command.end());
    words.insert(words.begin(), {"muster", launcher->command});
    instead += (instead.empty() ? "" : ", or: ") + shell_line(words);
  }
  return "each rank starts " + launcher->name + " for itself, so there are separate runs that do not work together. " +
         "For one run, type: " + instead;
}

}  // namespace muster
