// muster serve and muster agent: their mains are in wire/, which knows what they are made of.
#include "launcher/command/command.h"
#include "launcher/wire/wire.h"

namespace muster {

int serve_command(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line(
      "serve",
      "The controller of your jobs, in the foreground. Commands start it themselves and it leaves when idle "
      "(MUSTER_IDLE, default 1m; 0: never), so there is seldom a reason to. "
      "It forgets the oldest ended jobs once all of them take more than MUSTER_KEEP_SIZE (default 20GiB; 0: no limit) "
      "on "
      "disk, and those that ended longer ago than MUSTER_KEEP_AGE (default: no limit).",
      "MUSTER_IDLE=0 muster serve");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return serve_main(context.surroundings);
}

int agent_command(CommandContext& context, const std::vector<std::string>& arguments) {
  std::optional<std::string> socket;
  CommandLine line(
      "agent --socket PATH",
      "Runs one job's ranks on one node. Backends start agents, nobody else: without a controller behind the "
      "socket it leaves.",
      "muster run -n 2 -- ./prog   starts one");
  line.value("--socket", "PATH", socket, "where its controller listens");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (!socket) return fail(context, {Code::invalid_argument, "backends start agents: muster agent --socket PATH"});
  return agent_main(context.surroundings, *socket);
}

}  // namespace muster
