// A command: its name, what it is for, and its main. The table of all of them is in table.cc, written by hand.
#pragma once

#include <string>
#include <vector>

#include "core/model/diagnostic.h"
#include "launcher/cli/command_line.h"
#include "launcher/exit_code.h"
#include "launcher/screen.h"
#include "launcher/surroundings.h"
#include "launcher/view/style.h"

namespace muster {

// What every command is handed. `screen` outlives the command.
struct CommandContext {
  const Surroundings& surroundings;
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

const std::vector<Command>& all_commands();

// What a command takes, by its own words.
CommandFacts facts_of(const Command& command, const Surroundings& surroundings);

// Parses and answers --help and mistakes. A value: the command is done, exit with it.
std::optional<int> parse_or_exit(CommandContext& context, CommandLine& line, const std::vector<std::string>& arguments);

// What commands that take one call it when it is missing.
inline constexpr const char* a_job = "a job (muster ps lists them; @last is the last one)";

// The job that a command looks at when none is named. What changes a job wants its name.
inline constexpr const char* last_job = "@last";

// "error: sentence" on stderr; the exit code that belongs to it.
int fail(CommandContext& context, const Status& status);

int run_main(CommandContext& context, const std::vector<std::string>& arguments);
int torchrun_main(CommandContext& context, const std::vector<std::string>& arguments);
int submit_main(CommandContext& context, const std::vector<std::string>& arguments);
int ps_main(CommandContext& context, const std::vector<std::string>& arguments);
int logs_main(CommandContext& context, const std::vector<std::string>& arguments);
int describe_main(CommandContext& context, const std::vector<std::string>& arguments);
int top_main(CommandContext& context, const std::vector<std::string>& arguments);
int events_main(CommandContext& context, const std::vector<std::string>& arguments);
int why_main(CommandContext& context, const std::vector<std::string>& arguments);
int wait_main(CommandContext& context, const std::vector<std::string>& arguments);
int exec_main(CommandContext& context, const std::vector<std::string>& arguments);
int attach_main(CommandContext& context, const std::vector<std::string>& arguments);
int stop_main(CommandContext& context, const std::vector<std::string>& arguments);
int kill_main(CommandContext& context, const std::vector<std::string>& arguments);
int hold_main(CommandContext& context, const std::vector<std::string>& arguments);
int release_main(CommandContext& context, const std::vector<std::string>& arguments);
int move_main(CommandContext& context, const std::vector<std::string>& arguments);
int rm_main(CommandContext& context, const std::vector<std::string>& arguments);
int render_main(CommandContext& context, const std::vector<std::string>& arguments);
int validate_main(CommandContext& context, const std::vector<std::string>& arguments);
int frameworks_main(CommandContext& context, const std::vector<std::string>& arguments);
int explain_main(CommandContext& context, const std::vector<std::string>& arguments);
int doctor_main(CommandContext& context, const std::vector<std::string>& arguments);
int hosts_main(CommandContext& context, const std::vector<std::string>& arguments);
int reach_main(CommandContext& context, const std::vector<std::string>& arguments);
int facts_main(CommandContext& context, const std::vector<std::string>& arguments);
int unpack_main(CommandContext& context, const std::vector<std::string>& arguments);
int pack_main(CommandContext& context, const std::vector<std::string>& arguments);
int fetch_main(CommandContext& context, const std::vector<std::string>& arguments);
int serve_command(CommandContext& context, const std::vector<std::string>& arguments);
int agent_command(CommandContext& context, const std::vector<std::string>& arguments);
int relay_command(CommandContext& context, const std::vector<std::string>& arguments);
// In pods (pod/pod.h); not in the table.
int pod_main(CommandContext& context, const std::vector<std::string>& arguments);
int completion_main(CommandContext& context, const std::vector<std::string>& arguments);
int schema_main(CommandContext& context, const std::vector<std::string>& arguments);
int config_main(CommandContext& context, const std::vector<std::string>& arguments);
int runtimes_main(CommandContext& context, const std::vector<std::string>& arguments);
int init_main(CommandContext& context, const std::vector<std::string>& arguments);
int diff_main(CommandContext& context, const std::vector<std::string>& arguments);
// What shells ask while somebody types (completion/shell_scripts.h); not in the table.
int complete_main(CommandContext& context, const std::vector<std::string>& arguments);
int version_main(CommandContext& context, const std::vector<std::string>& arguments);
int help_main(CommandContext& context, const std::vector<std::string>& arguments);

}  // namespace muster
