// A command: its name, what it is for, and its main. The table of all of them is in table.cc, written by hand.
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

// What every command is handed. `screen` outlives the command.
struct CommandContext {
  const CallerContext& caller;
  FdScreen& screen;
  CommandFacts* asked = nullptr;  // the command is only asked what it takes, and does nothing
  std::string colour = "auto";    // --color
  std::string place = "";         // Style::place, once it is known

  Style out_style() const;
  Style err_style() const;
  // For diagnostics on stderr; `starts`: the command starts something when there are none.
  ReportStyle report_style(bool starts) const;
};

struct Command {
  std::string name;
  std::string group;  // the headline it stands under in `muster help`
  std::string summary;
  int (*main)(CommandContext& context, const std::vector<std::string>& arguments);  // those behind the name
};

// What a command takes, by its own words.
CommandFacts facts_of(const Command& command, const CallerContext& caller);

// Parses and answers --help and mistakes. A value: the command is done, exit with it.
std::optional<int> parse_or_exit(CommandContext& context, CommandLine& line, const std::vector<std::string>& arguments);

// What commands that take one call it when it is missing.
inline constexpr const char* a_job = "a job (muster ps lists them; @last is the last one)";

// The job that a command looks at when none is named. What changes a job wants its name.
inline constexpr const char* last_job = "@last";

// "error: sentence" on stderr; the exit code that belongs to it.
int fail(CommandContext& context, const Status& status);

}  // namespace muster
