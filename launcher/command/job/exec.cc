// SPDX-License-Identifier: Apache-2.0
// muster exec: runs a program, or a shell, beside a rank of a running job.
#include "core/client/connect/connect.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/exec/exec_session.h"
#include "launcher/exec/rank_choice.h"

namespace muster {
namespace {

// bash if the node has it, otherwise sh.
const std::vector<std::string> shell{"/bin/sh", "-c", "command -v bash >/dev/null && exec bash || exec sh"};

struct ExecFlags {
  std::vector<std::string> words;
  std::vector<std::string> command;
  std::optional<std::string> rank;
  std::optional<std::string> node;
  std::optional<std::string> workdir;
  std::vector<std::string> environment;
  bool tty = false;
  bool no_tty = false;
  bool input = false;
  bool no_input = false;
  ClusterWords cluster;
};

void declare(CommandLine& line, ExecFlags& flags) {
  line.value("--rank", "R", flags.rank, "the rank to run beside: 3, or trainer/3 for a group (default: the first rank)")
      .value("--node", "N", flags.node, "run beside the first rank of node N; nodes count from 0")
      .flag("-t,--tty", flags.tty, "give the program a terminal (default: if stdin and stdout are terminals)")
      .flag("-T,--no-tty", flags.no_tty, "give the program no terminal")
      .flag("-i,--stdin", flags.input, "pass stdin to the program (the default)")
      .flag("-n,--no-stdin", flags.no_input,
            "give the program an empty stdin, for example in a shell's `while read` loop")
      .value("-w,--workdir", "DIR", flags.workdir,
             "start in this folder; may be relative to the rank's folder (default: the rank's folder)")
      .values("-e,--env", "K=V", flags.environment,
              "set a variable beside those of the rank; K alone takes its value from this shell")
      .words(a_job, 1, 1, flags.words)
      .rest_behind_words(flags.command);
  declare_cluster_words(line, flags.cluster);
  line.note(
      "If you name no program, exec starts a shell on a terminal.\n\n"
      "The program runs on the node of the rank, with the rank's environment, CPUs and cgroup. The agent (muster's "
      "process on that node) starts it. muster ends the program when this command ends, and when the attempt of the "
      "rank "
      "ends. An attempt is one start of the job's ranks. On a terminal, ~. at the beginning of a line ends exec.\n\n"
      "Exit codes: that of the program; 128 + N if signal N ended it; 125 if it was not started, or if nobody knows "
      "how "
      "it ended; 126 if it may not be executed; 127 if there is no such program.");
}

int refuse(CommandContext& context, const Status& status) {
  context.screen.err(error_line(context.err_style(), status.message()));
  return status.code() == Code::invalid_argument ? exit_usage : exit_exec_trouble;
}

Result<std::map<std::string, std::string>> variables_of(const CommandContext& context, const ExecFlags& flags,
                                                        bool tty) {
  std::map<std::string, std::string> variables;
  // Programs that draw on a terminal need its type.
  if (const auto term = context.caller.variable("TERM"); tty && term) variables["TERM"] = *term;
  for (const std::string& text : flags.environment) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (name.empty()) return Status(Code::invalid_argument, "--env needs NAME=VALUE, not `" + text + "`");
    const auto ours = context.caller.environment.find(name);
    if (equals != std::string::npos) {
      variables[name] = text.substr(equals + 1);
    } else if (ours != context.caller.environment.end()) {
      variables[name] = ours->second;
    }
  }
  return variables;
}

Result<ExecStart> start_of(const CommandContext& context, const ExecFlags& flags, const JobView& job) {
  const CallerContext& around = context.caller;
  if (flags.tty && flags.no_tty) return Status(Code::invalid_argument, "choose one of --tty and --no-tty");
  ExecStart start;
  start.job = job.id.text();
  start.tty = !flags.no_tty && (flags.tty || (around.stdin_tty && around.stdout_tty && !flags.no_input));
  start.rows = around.rows;
  start.columns = around.columns;
  start.workdir = flags.workdir.value_or("");
  start.argv = flags.command.empty() && start.tty ? shell : flags.command;
  if (start.argv.empty()) {
    return Status(Code::invalid_argument, "name a program: muster exec " + job.name +
                                              " -- PROGRAM …; only on a terminal, exec starts a shell without one");
  }
  auto variables = variables_of(context, flags, start.tty);
  if (!variables.ok()) return variables.status();
  start.environment = std::move(*variables);
  const auto rank = chosen_rank(job, flags.rank, flags.node);
  if (!rank.ok()) return rank.status();
  start.index = *rank;
  return start;
}

Status has_ended(const JobView& job, const Style& style) {
  return Status(Code::failed_precondition, job.name + " has ended (" + job.state +
                                               "), so there is no rank to run beside; muster logs " +
                                               asked_as(job, style) + " shows what its ranks printed");
}

}  // namespace

int exec_main(CommandContext& context, const std::vector<std::string>& arguments) {
  ExecFlags flags;
  CommandLine line("exec JOB [flags] [-- PROGRAM …]",
                   "Runs a program, or a shell, beside a rank (process) of a running job.",
                   "muster exec train-7f2\nmuster exec train-7f2 --rank 1 -- env");
  declare(line, flags);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  auto connection = Connection::open(context, flags.cluster);
  if (!connection.ok()) return refuse(context, connection.status());
  HeldSignals signals((*connection)->loop());
  const auto job = (*connection)->client()->describe(flags.words.front());
  if (!job.ok()) return refuse(context, job.status());
  if (job->done) return refuse(context, has_ended(*job, context.err_style()));
  const auto start = start_of(context, flags, *job);
  if (!start.ok()) return refuse(context, start.status());
  AsioLoop& loop = (*connection)->loop();
  const auto host = (*connection)->is_near() ? connect_host_of(context.caller, loop, start->job) : nullptr;
  JobClient& client = host ? static_cast<JobClient&>(*host) : *(*connection)->client();
  return ExecSession(context, loop, client, *start, !flags.no_input).run(signals);
}

}  // namespace muster
