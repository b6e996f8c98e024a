// SPDX-License-Identifier: Apache-2.0
// The commands serve, agent, pmix and relay. launcher/composition, core/node/pmix and backends/ssh/relay implement them.
#include "backends/ssh/relay/relay.h"
#include "core/node/pmix/pmix_helper.h"
#include "launcher/command/table.h"
#include "launcher/composition/wire.h"

namespace muster {

int serve_command(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("serve", "Runs the controller, which manages your jobs and their queue.",
                   "MUSTER_IDLE=0 muster serve");
  line.note(
      "You rarely need this command: other commands start a controller in the background if none runs. It exits when "
      "it is idle for MUSTER_IDLE (default: 1m, or 10m while an agent keeps warm imports for the next job; 0: never). "
      "If you set MUSTER_IDLE, it replaces both times.\n\n"
      "The controller deletes the oldest ended jobs when all ended jobs take more disk space than MUSTER_KEEP_SIZE "
      "(default: 20GiB; 0: no limit). It also deletes jobs that ended longer ago than MUSTER_KEEP_AGE (default: no "
      "limit).");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return serve_main(context.caller);
}

int agent_command(CommandContext& context, const std::vector<std::string>& arguments) {
  std::optional<std::string> socket;
  bool inside = false;
  CommandLine line("agent --socket PATH", "Starts and watches the ranks (processes) of a job on one node (internal).",
                   "muster run -n 2 -- ./prog   # starts an agent");
  line.value("--socket", "PATH", socket, "the socket at which the controller listens")
      .flag("--inside", inside, "the controller is a command inside a job; wait for it if its connection is lost")
      .note("muster starts agents itself. An agent exits if no controller listens at its socket.");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (!socket)
    return fail(context, {Code::invalid_argument, "muster starts agents itself, with: muster agent --socket PATH"});
  return agent_main(context.caller, *socket, inside);
}

int pmix_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::optional<std::string> socket;
  CommandLine line("pmix --socket PATH", "Serves PMIx to the ranks of an MPI job on one node (internal).",
                   "muster run -n 2 -- ./mpi_program   # the agent starts it");
  line.value("--socket", "PATH", socket, "the socket at which the agent listens")
      .note("The agent of an MPI job starts it. It exits when the agent closes the connection.");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (!socket)
    return fail(context, {Code::invalid_argument, "agents start it themselves, with: muster pmix --socket PATH"});
  return pmix_helper(*socket);
}

int relay_command(CommandContext& context, const std::vector<std::string>& arguments) {
  std::optional<std::string> listen;
  std::optional<std::string> resume;
  std::optional<std::string> end;
  std::optional<std::string> wake;
  bool inside = false;
  CommandLine line("relay (--listen TAG | --resume TAG | --end TAG | --wake TAG)",
                   "Carries the agent's connection to the controller over ssh (internal).",
                   "muster relay --listen TAG   # muster run --hosts a1 starts it on a1");
  line.value("--listen", "TAG", listen, "start an agent with this name and wait for it")
      .value("--resume", "TAG", resume, "wait for the agent with this name; exit with 21 if it does not run")
      .value("--end", "TAG", end, "end the agent with this name and all its processes at once")
      .value("--wake", "TAG", wake, "continue the agent with this name if a signal has stopped it")
      .flag("--inside", inside, "a rank of a job runs it, not ssh: SIGTERM ends the agent")
      .note(
          "The controller starts it on a host over ssh. It connects the stdio of the ssh session with an agent on that "
          "host. An agent starts the ranks (processes) of a job there.");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (listen) return relay_main(context.caller, RelayTask::listen, *listen, inside);
  if (resume) return relay_main(context.caller, RelayTask::resume, *resume, inside);
  if (end) return relay_main(context.caller, RelayTask::end, *end, inside);
  if (wake) return relay_main(context.caller, RelayTask::wake, *wake, inside);
  return fail(context,
              {Code::invalid_argument, "the controller starts relays itself, with: muster relay --listen TAG"});
}

}  // namespace muster
