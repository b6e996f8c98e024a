// SPDX-License-Identifier: Apache-2.0
// Messages of launchers and of parent processes about a process of theirs that failed: torchrun, accelerate, DeepSpeed, Lightning,
// shells, make, Python's subprocess and multiprocessing, torch's DataLoader. It says that a process failed, not why. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/attempt/python_traceback.h"

namespace muster {

enum class Relays {
  nothing,    // it is an exception of the program itself
  a_failure,  // a process of its own failed: its exception or crash is the cause
  a_crash,    // a process of its own was ended by a signal, so an earlier exception is not the cause
};

// Whether the exception reports the failure of another process. `text`: "subprocess.CalledProcessError: Command …".
Relays relays(std::string_view text);

// Whether a launcher prints this line after a process of its own has ended.
bool is_launcher_line(std::string_view line);

// Whether the last of the lines say that the launcher then killed itself, as Lightning's does.
bool launcher_kills_itself(OutputLines lines);

// How a program ended, as its shell reports it.
struct ShellReport {
  std::string text;   // "python3 train.py was killed by SIGKILL"
  std::string place;  // "train.sh:3"; empty: the shell does not say it
};
// Of a shell's line: "train.sh: line 3:  4117 Killed                  python3 train.py", or without the line after `bash -c`.
// Nothing: it is no such line.
std::optional<ShellReport> shell_report(std::string_view line);

// A message of torch's DataLoader about a worker, without the worker's pid, which is another one in each attempt: "RuntimeError:
// DataLoader worker was killed by SIGKILL". Other text is returned unchanged.
std::string loader_report(std::string_view text);

// "torchrun: rank 1 of train.py was killed by SIGKILL", from torchrun's report in the lines. Empty: there is no such report.
std::string torchrun_report(OutputLines lines);

}  // namespace muster
