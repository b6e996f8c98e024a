// What ranks of a node have in common: the parent from which they are forked. Pure but for the paths it resolves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/python_command.h"
#include "core/port/process_host.h"
#include "core/port/warm_task.h"

namespace muster {

struct WarmPlan {
  // The command of the ranks, with what of their environment does not tell a place; its output goes nowhere yet.
  SpawnRequest parent;
  PythonCommand command;
  std::string file;   // the program's, absolute; empty: a module or code
  std::string path0;  // what the interpreter will put first on sys.path
  // All that decides what such programs import and find: interpreter, folder, words, environment, the program's text.
  std::string identity;
  // Names what such programs import, across jobs.
  std::string key() const;
  // Names what an interpreter's packages do while they are imported.
  std::string interpreter_key() const;

  std::string interpreter;  // its file, as found in the ranks' PATH
};
// The first rank's and those like it. Nothing: it is no program of an interpreter that can be kept warm, or has a terminal.
std::optional<WarmPlan> warm_plan(const std::vector<SpawnRequest>& ranks, const WarmTask& task);

// Whether the rank, forked from such a parent, would be what it is when executed.
bool fits(const WarmPlan& plan, const SpawnRequest& rank, const WarmTask& task);

// Variables that the parent has not, or that differ between its ranks: no import may read them.
std::vector<std::string> place_names(const WarmTask& task);

// Whether a program's text imports, at its top, a package that takes long to import.
bool imports_much(const std::string& text);

}  // namespace muster
