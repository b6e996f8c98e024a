// muster exec: a program, or a shell, beside a rank of a job that runs.
#include "core/client/connect/connect.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/exec/exec_session.h"
#include "launcher/exec/rank_choice.h"

namespace muster {
namespace {

// With bash where there is one.
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
  line.value("--rank", "R", flags.rank, "beside this rank, such as 3, or trainer/3 in a group (default: the first)")
      .value("--node", "N", flags.node, "beside the first rank of this node")
      .flag("-t,--tty", flags.tty, "with a terminal (default: if stdin and stdout are one)")
      .flag("-T,--no-tty", flags.no_tty, "without one")
      .flag("-i,--stdin", flags.input, "stdin is the program's (which it is anyway)")
      .flag("-n,--no-stdin", flags.no_input, "its stdin is empty: where a shell reads ours line by line")
      .value("-w,--workdir", "DIR", flags.workdir, "in this folder (default: the rank's, where relative ones begin)")
      .values("-e,--env", "K=V", flags.environment, "set over the rank's environment; K alone is ours")
      .words(a_job, 1, 1, flags.words)
      .rest_behind_words(flags.command);
  declare_cluster_words(line, flags.cluster);
  line.note(
      "The program starts as the rank did: on its node, with its environment, CPUs and cgroup, as a child of the "
      "same agent. It ends with the rank's attempt, and when this command does; ~. at the begin of a line leaves a "
      "terminal.\n\n"
      "Exits as the program does (128 + N: by signal N); 125: it was not started, or nobody knows how it ended; "
      "126: it may not be executed; 127: there is no such program.");
}

int refuse(CommandContext& context, const Status& status) {
  context.screen.err(error_line(context.err_style(), status.message()));
  return status.code() == Code::invalid_argument ? exit_usage : exit_exec_trouble;
}

Result<std::map<std::string, std::string>> variables_of(const CommandContext& context, const ExecFlags& flags,
                                                        bool tty) {
  std::map<std::string, std::string> variables;
  // What draws on a terminal must know which.
  if (const auto term = context.caller.variable("TERM"); tty && term) variables["TERM"] = *term;
  for (const std::string& text : flags.environment) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (name.empty()) return Status(Code::invalid_argument, "--env wants NAME=VALUE, not `" + text + "`");
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
  if (flags.tty && flags.no_tty) return Status(Code::invalid_argument, "--tty and --no-tty exclude each other");
  ExecStart start;
  start.job = job.id.text();
  start.tty = !flags.no_tty && (flags.tty || (around.stdin_tty && around.stdout_tty && !flags.no_input));
  start.rows = around.rows;
  start.columns = around.columns;
  start.workdir = flags.workdir.value_or("");
  start.argv = flags.command.empty() && start.tty ? shell : flags.command;
  if (start.argv.empty()) {
    return Status(Code::invalid_argument,
                  "which program?  muster exec " + job.name + " -- PROGRAM …; without one, a terminal gets a shell");
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
                                               "): there is no rank to run beside.  muster logs " +
                                               asked_as(job, style) + " shows what they printed");
}

}  // namespace

int exec_main(CommandContext& context, const std::vector<std::string>& arguments) {
  ExecFlags flags;
  CommandLine line("exec JOB [flags] [-- PROGRAM …]", "Runs a program, or a shell, beside a rank of a job that runs.",
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
  ControlClient& client = host ? *host : *(*connection)->client();
  return ExecSession(context, loop, client, *start, !flags.no_input).run(signals);
}

}  // namespace muster
