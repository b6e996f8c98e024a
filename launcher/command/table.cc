// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/table.h"

#include "launcher/command/file/file_commands.h"
#include "launcher/command/host/host_commands.h"
#include "launcher/command/job/job_commands.h"

namespace muster {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands{
      {"run", "Running jobs", "submit a job and follow it to its end", run_main},
      {"torchrun", "Running jobs", "run a script as torchrun does", torchrun_main},
      {"mpirun", "Running jobs", "run MPI programs as mpirun does", mpirun_main},
      {"submit", "Running jobs", "submit a job and print its name", submit_main},
      {"attach", "Running jobs", "follow a running job to its end", attach_main},
      {"exec", "Running jobs", "run a program, or a shell, beside a rank of a job", exec_main},
      {"wait", "Running jobs", "wait until jobs have ended", wait_main},
      {"stop", "Running jobs", "stop jobs: SIGTERM, then SIGKILL after the grace time", stop_main},
      {"kill", "Running jobs", "kill jobs: SIGKILL at once", kill_main},
      {"hold", "Running jobs", "keep queued jobs from starting", hold_main},
      {"release", "Running jobs", "let held jobs start", release_main},
      {"move", "Running jobs", "move a queued job to another position in the queue", move_main},
      {"rm", "Running jobs", "delete ended jobs and their output", rm_main},
      {"ps", "Viewing jobs", "list jobs", ps_main},
      {"top", "Viewing jobs", "show jobs live: their ranks, CPU, memory and output", top_main},
      {"logs", "Viewing jobs", "print the output of ranks", logs_main},
      {"describe", "Viewing jobs", "show a job: state, ranks, attempts, progress", describe_main},
      {"events", "Viewing jobs", "show the timeline of a job", events_main},
      {"why", "Viewing jobs", "explain why a job failed or is waiting, or where its ranks are now", why_main},
      {"fetch", "Viewing jobs", "copy files of a job from its hosts to this machine", fetch_main},
      {"diff", "Viewing jobs", "compare two jobs or job files", diff_main},
      {"init", "Before a run", "write a first job file for a program", init_main},
      {"render", "Before a run", "show the plan of a job: nodes, ranks, devices, environment", render_main},
      {"validate", "Before a run", "report all mistakes of job files", validate_main},
      {"config", "Before a run", "show where values come from, or set a default", config_main},
      {"convert", "Before a run", "write a manifest of Kubeflow as a job file, or the other way round", convert_main},
      {"apply", "Before a run", "register TrainingRuntimes of Kubeflow", apply_main},
      {"runtimes", "Before a run", "list, show or delete runtimes, the templates of job files", runtimes_main},
      {"frameworks", "Before a run", "list frameworks, or the variables of one", frameworks_main},
      {"explain", "Before a run", "explain an error code, or list them", explain_main},
      {"doctor", "Before a run", "check this machine, hosts or a cluster", doctor_main},
      {"hosts", "Before a run", "ask hosts over ssh what they have", hosts_main},
      {"schema", "For your tools", "print a JSON Schema for job files", schema_main},
      {"completion", "For your tools", "print shell completion for bash, zsh or fish", completion_main},
      {"version", "For your tools", "print the version of this program", version_main},
      {"help", "For your tools", "show this list, or the help of one command", help_main},
      {"serve", "Internal commands", "the controller: manages your jobs and the queue", serve_command},
      {"agent", "Internal commands", "starts the ranks on one node", agent_command},
      {"relay", "Internal commands", "carries the agent's connection over ssh", relay_command},
      {"reach", "Internal commands", "checks whether hosts reach each other, for muster doctor", reach_main},
      {"facts", "Internal commands", "prints what a host has, for muster hosts", facts_main},
      {"pack", "Internal commands", "sends files of a job from a host, for muster fetch", pack_main},
      {"unpack", "Internal commands", "places the code of a job on a host", unpack_main},
  };
  return commands;
}

}  // namespace muster
