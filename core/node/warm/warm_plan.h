// SPDX-License-Identifier: Apache-2.0
// WarmPlan: describes the warm parent of a node's ranks: the command and environment that they share. Pure, except that it
// resolves paths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/python_command.h"
#include "core/port/process_host.h"
#include "core/port/warm_task.h"

namespace muster {

struct WarmPlan {
  // The command of the ranks with their shared environment variables; its output paths are empty.
  SpawnRequest parent;
  PythonCommand command;
  std::string file;   // the program's absolute path; empty: a module (-m) or code (-c)
  std::string path0;  // the entry that the interpreter will put first on sys.path
  // Everything that decides what the program imports: interpreter, folder, arguments, environment, the program's text.
  std::string identity;
  // A hash of `identity`; names the files with the program's imports.
  std::string key() const;
  // A hash of `interpreter`; names the file with the modules to avoid.
  std::string interpreter_key() const;

  std::string interpreter;  // the absolute path, as found in the ranks' PATH
};
// The plan for the first rank and for the ranks that fit it. nullopt: not a Python program that can be started warm, or it
// has a terminal.
std::optional<WarmPlan> warm_plan(const std::vector<SpawnRequest>& ranks, const WarmTask& task);

// Whether the rank, forked from this parent, would be the same as when executed.
bool fits(const WarmPlan& plan, const SpawnRequest& rank, const WarmTask& task);

// Names of variables that the parent lacks (secrets) or that differ between ranks. Imports in the parent must not read them.
std::vector<std::string> place_names(const WarmTask& task);

// Whether a program's text imports a package that takes long to import.
bool imports_much(const std::string& text);

}  // namespace muster
