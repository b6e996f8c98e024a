// SPDX-License-Identifier: Apache-2.0
// A command: its name, its summary and its main function. command/table.cc lists all commands.
#pragma once

#include <string>
#include <vector>

#include "core/client/caller_context.h"
#include "core/client/exit_code.h"
#include "core/client/screen.h"
#include "core/client/view/style.h"
#include "core/job/diagnostic.h"
#include "launcher/cli/command_line.h"

namespace muster {

// The context that every command gets. `screen` outlives the command.
struct CommandContext {
  const CallerContext& caller;
  FdScreen& screen;
  CommandFacts* asked = nullptr;  // if set, the command only stores its flags here and does nothing else
  std::string colour = "auto";    // --color
  std::string place = "";         // Style::place; empty until it is known

  Style out_style() const;
  Style err_style() const;
  // For diagnostics on stderr. `starts`: the command starts a job if there are no errors.
  ReportStyle report_style(bool starts) const;
};

struct Command {
  std::string name;
  std::string group;  // its headline in `muster help`
  std::string summary;
  int (*main)(CommandContext& context, const std::vector<std::string>& arguments);  // the arguments after the name
};

// The flags and arguments of a command, as it declares them.
CommandFacts facts_of(const Command& command, const CallerContext& caller);

// Parses `arguments`; prints help or the error. If it returns a value, the command exits with it.
std::optional<int> parse_or_exit(CommandContext& context, CommandLine& line, const std::vector<std::string>& arguments);

// The noun in the error message if the job is missing.
inline constexpr const char* a_job = "a job (muster ps lists them; @last is the newest)";

// The default job of commands that only show something. Commands that change a job require its name.
inline constexpr const char* last_job = "@last";

// Prints "error: MESSAGE" to stderr and returns the exit code of `status`.
int fail(CommandContext& context, const Status& status);

}  // namespace muster
