#include <algorithm>

#include "launcher/command/command.h"

namespace muster {
namespace {

std::string command_list(const Style& style) {
  std::string text = "muster runs distributed training, here or elsewhere.\n\nusage: muster COMMAND [flags]\n";
  std::string group;
  for (const Command& command : all_commands()) {
    if (command.group != group) text += "\n" + paint(style, Colour::bold, command.group) + "\n";
    group = command.group;
    text += "  " + command.name + std::string(10 - command.name.size(), ' ') + command.summary + "\n";
  }
  text +=
      "\nexample:\n  muster run -n 2 -- python train.py\n  muster run job.yaml\n"
      "\nmuster COMMAND --help tells more. A JOB is a name, an id, the beginning of\neither, or @last.\n";
  return text;
}

}  // namespace

int help_main(CommandContext& context, const std::vector<std::string>& arguments) {
  const auto& commands = all_commands();
  const std::string wanted = arguments.empty() ? "" : arguments.front();
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == wanted; });
  if (found != commands.end() && wanted != "help") return found->main(context, {"--help"});
  context.screen.out(command_list(context.out_style()));
  return exit_ok;
}

}  // namespace muster
