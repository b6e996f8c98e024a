// muster serve, muster agent and muster relay: their mains are in wire/ and relay/, which know what they are made of.
#include "backends/ssh/relay/relay.h"
#include "launcher/command/table.h"
#include "launcher/composition/wire.h"

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
  return serve_main(context.caller);
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
  return agent_main(context.caller, *socket);
}

int relay_command(CommandContext& context, const std::vector<std::string>& arguments) {
  std::optional<std::string> listen;
  std::optional<std::string> resume;
  std::optional<std::string> end;
  CommandLine line(
      "relay (--listen TAG | --resume TAG | --end TAG)",
      "The way between an agent on this host and the stdio of an ssh session, whose other end is the controller. "
      "Controllers start it over ssh, nobody else.",
      "muster relay --listen TAG   what muster run --hosts a1 starts on a1");
  line.value("--listen", "TAG", listen, "start an agent under this name, and wait for it")
      .value("--resume", "TAG", resume, "wait for the agent that has it; exits 21 where none lives")
      .value("--end", "TAG", end, "end that agent and all it runs, at once");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (listen) return relay_main(context.caller, RelayTask::listen, *listen);
  if (resume) return relay_main(context.caller, RelayTask::resume, *resume);
  if (end) return relay_main(context.caller, RelayTask::end, *end);
  return fail(context, {Code::invalid_argument, "controllers start relays: muster relay --listen TAG"});
}

}  // namespace muster
