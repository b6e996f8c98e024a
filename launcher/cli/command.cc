// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/command.h"

#include <chrono>

namespace muster {
namespace {

Style style_for(const CommandContext& context, bool is_terminal) {
  const CallerContext& caller = context.caller;
  Style style;
  style.terminal = is_terminal;
  style.colour = wants_colour(caller, is_terminal, context.colour);
  style.columns = is_terminal ? caller.columns : uint16_t{0};
  style.place = context.place;
  style.now = TimePoint(std::chrono::system_clock::now().time_since_epoch());
  return style;
}

}  // namespace

Style CommandContext::out_style() const { return style_for(*this, caller.stdout_tty); }

Style CommandContext::err_style() const { return style_for(*this, caller.stderr_tty); }

ReportStyle CommandContext::report_style(bool starts) const {
  const Style style = err_style();
  return {.colour = style.colour, .starts = starts, .columns = style.columns};
}

std::optional<int> parse_or_exit(CommandContext& context, CommandLine& line,
                                 const std::vector<std::string>& arguments) {
  line.choice(kColourFlag, {"auto", "always", "never"}, context.colour,
              "colour (default: auto, which means only on a terminal)");
  if (context.asked != nullptr) {
    *context.asked = line.facts();
    return exit_ok;
  }
  const CommandLine::Outcome outcome = line.parse(arguments);
  switch (outcome.kind) {
    case CommandLine::Outcome::Kind::proceed: return std::nullopt;
    case CommandLine::Outcome::Kind::help: context.screen.out(outcome.text); return exit_ok;
    case CommandLine::Outcome::Kind::wrong:
      context.screen.err(error_line(context.err_style(), outcome.text));
      return exit_usage;
  }
  return exit_usage;
}

CommandFacts facts_of(const Command& command, const CallerContext& caller) {
  CommandFacts facts;
  FdScreen screen;
  CommandContext context{caller, screen, &facts};
  (void)command.main(context, {});
  return facts;
}

int fail(CommandContext& context, const Status& status) {
  context.screen.err(error_line(context.err_style(), status.message()));
  return exit_code_of(status);
}

}  // namespace muster
