#include "launcher/command/table.h"

#include "launcher/command/file/file_commands.h"
#include "launcher/command/host/host_commands.h"
#include "launcher/command/job/job_commands.h"

namespace muster {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands{
      {"run", "Running jobs", "submit a job and follow it to its end", run_main},
      {"torchrun", "Running jobs", "run a script as torchrun does", torchrun_main},
      {"submit", "Running jobs", "submit a job and leave it to itself", submit_main},
      {"attach", "Running jobs", "follow a job that runs", attach_main},
      {"exec", "Running jobs", "run a program, or a shell, beside a rank", exec_main},
      {"wait", "Running jobs", "wait for jobs to end, and exit as they did", wait_main},
      {"stop", "Running jobs", "stop jobs: SIGTERM, then SIGKILL after their grace", stop_main},
      {"kill", "Running jobs", "kill jobs at once", kill_main},
      {"hold", "Running jobs", "keep queued jobs from starting", hold_main},
      {"release", "Running jobs", "let held jobs start", release_main},
      {"move", "Running jobs", "move a queued job to another place in the queue", move_main},
      {"rm", "Running jobs", "forget ended jobs and their output", rm_main},
      {"ps", "Looking around", "list jobs", ps_main},
      {"top", "Looking around", "watch jobs live: their ranks, CPU, memory, output", top_main},
      {"logs", "Looking around", "show what ranks printed", logs_main},
      {"describe", "Looking around", "show a job: state, ranks, attempts", describe_main},
      {"events", "Looking around", "show a job's timeline", events_main},
      {"why", "Looking around", "say why a job failed or waits, or where it is", why_main},
      {"fetch", "Looking around", "bring files of a job here from its hosts", fetch_main},
      {"diff", "Looking around", "compare two jobs, or a job with its file", diff_main},
      {"init", "Before a run", "write a first job file for a program", init_main},
      {"render", "Before a run", "show the plan: nodes, ranks, devices, environment", render_main},
      {"validate", "Before a run", "check job files", validate_main},
      {"config", "Before a run", "say where values come from, and set them", config_main},
      {"runtimes", "Before a run", "list the templates that jobs may stand on", runtimes_main},
      {"frameworks", "Before a run", "list frameworks, and what each gives its ranks", frameworks_main},
      {"explain", "Before a run", "explain an error code", explain_main},
      {"doctor", "Before a run", "check this machine", doctor_main},
      {"hosts", "Before a run", "ask hosts over ssh what they have", hosts_main},
      {"schema", "For your tools", "print the JSON Schema of a job file", schema_main},
      {"completion", "For your tools", "make a shell complete muster's words", completion_main},
      {"serve", "Inside muster", "the controller; starts by itself", serve_command},
      {"agent", "Inside muster", "the parent of a node's ranks; started by backends", agent_command},
      {"relay", "Inside muster", "the way to an agent on a host; started over ssh", relay_command},
      {"reach", "Inside muster", "whether hosts reach each other; asked by muster doctor", reach_main},
      {"facts", "Inside muster", "what this machine has; asked by muster hosts", facts_main},
      {"pack", "Inside muster", "files of a job, from a host; asked by muster fetch", pack_main},
      {"unpack", "Inside muster", "a job's code on a host; called by who places the job", unpack_main},
      {"version", "Inside muster", "print the version", version_main},
      {"help", "Inside muster", "this list, or a command's help", help_main},
  };
  return commands;
}

}  // namespace muster
