// muster serve and muster agent: their mains are in wire/, which knows what they are made of.
#include "launcher/command/command.h"
#include "launcher/wire/wire.h"

namespace muster {

int serve_command(CommandContext& context, const std::vector<std::string>& arguments) {
  return serve_main(context.surroundings, arguments);
}

int agent_command(CommandContext& context, const std::vector<std::string>& arguments) {
  return agent_main(context.surroundings, arguments);
}

}  // namespace muster
