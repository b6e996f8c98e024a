// The table of commands, in the order of `muster help`.
#include "launcher/command/command.h"

namespace muster {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands{
      {"run", "Running jobs", "submit a job and follow it to its end", run_main},
      {"torchrun", "Running jobs", "run a script as torchrun does", torchrun_main},
      {"submit", "Running jobs", "submit a job and leave it to itself", submit_main},
      {"attach", "Running jobs", "follow a job that runs", attach_main},
      {"wait", "Running jobs", "wait for jobs to end, and exit as they did", wait_main},
      {"stop", "Running jobs", "stop jobs: SIGTERM, then SIGKILL after their grace", stop_main},
      {"kill", "Running jobs", "kill jobs at once", kill_main},
      {"rm", "Running jobs", "forget ended jobs and their output", rm_main},
      {"ps", "Looking around", "list jobs", ps_main},
      {"logs", "Looking around", "show what ranks printed", logs_main},
      {"describe", "Looking around", "show a job: state, ranks, attempts", describe_main},
      {"events", "Looking around", "show a job's timeline", events_main},
      {"why", "Looking around", "say why a job failed, restarted or waits", why_main},
      {"render", "Before a run", "show the plan: nodes, ranks, devices, environment", render_main},
      {"validate", "Before a run", "check job files", validate_main},
      {"frameworks", "Before a run", "list frameworks, and what each gives its ranks", frameworks_main},
      {"explain", "Before a run", "explain an error code", explain_main},
      {"doctor", "Before a run", "check this machine", doctor_main},
      {"serve", "Inside muster", "the controller; starts by itself", serve_command},
      {"agent", "Inside muster", "the parent of a node's ranks; started by backends", agent_command},
      {"version", "Inside muster", "print the version", version_main},
      {"help", "Inside muster", "this list, or a command's help", help_main},
  };
  return commands;
}

}  // namespace muster
