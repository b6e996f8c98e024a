// SPDX-License-Identifier: Apache-2.0
// muster mpirun: runs a job from a command line of mpirun or mpiexec.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/client/connect/paths.h"
#include "core/client/connect/state_place.h"
#include "core/client/run_program.h"
#include "core/client/submission/code_commit.h"
#include "core/client/submission/job_draft.h"
#include "core/client/submission/job_folder.h"
#include "core/job/mpirun/rank_only.h"
#include "core/job/plan/plan_hosts.h"
#include "launcher/cli/draft_report.h"
#include "launcher/command/host/host_visit.h"
#include "launcher/composition/draft_backends.h"
#include "launcher/exec/exec_host_links.h"
#include "launcher/follow/following.h"
#include "launcher/follow/stdin_choice.h"
#include "launcher/mpirun/mpirun_help.h"
#include "launcher/mpirun/mpirun_job.h"
#include "launcher/mpirun/mpirun_presenter.h"
#include "launcher/mpirun/mpirun_shim.h"
#include "launcher/mpirun/outer_job.h"

namespace muster {
namespace {

// Exit codes of mpirun 4.1.
enum MpirunExit : int {
  mpirun_failed = 1,  // a wrong command line, too few slots, a signal
  mpirun_timeout = 110,
  mpirun_no_program = 134,
  mpirun_no_folder = 135,
};

int code_of_problem(const std::vector<Diagnostic>& problems) {
  const auto has = [&](const char* code) {
    return std::any_of(problems.begin(), problems.end(), [&](const Diagnostic& each) { return each.code == code; });
  };
  return has("E1402") ? mpirun_no_folder : has("E1401") ? mpirun_no_program : mpirun_failed;
}

// Whether stdin is a file with content. A pipe may be one that nobody writes to, as under a service or a script.
bool stdin_has_file() {
  struct stat about {};
  return fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
}

bool stdin_is_pipe() {
  struct stat about {};
  return fstat(STDIN_FILENO, &about) == 0 && S_ISFIFO(about.st_mode);
}

// With several programs a shell starts them, so preflight does not see them.
std::optional<Diagnostic> missing_program(const MpirunFlags& flags, const CallerContext& caller) {
  for (const MpirunApp& app : flags.apps) {
    const std::string folder = app.workdir.empty() ? caller.workdir : job_folder("", app.workdir, caller);
    const std::string& program = app.command.front();
    const std::string path = app.path.empty() ? caller.variable("PATH").value_or("") : app.path;
    if (access(folder.c_str(), X_OK) != 0)
      return mpirun_problem("E1402", "", "the workdir " + escaped(folder) + " is not a folder", "");
    if (find_program(program, path, folder).empty())
      return mpirun_problem("E1401", "", "there is no program `" + escaped(program) + "` in PATH or " + escaped(folder),
                            "name a program that is there, by its path");
  }
  return std::nullopt;
}

// One run: reads the files of the command line, submits the job and follows it.
class MpirunRun {
 public:
  MpirunRun(CommandContext& context, MpirunSource source)
      : context_(context),
        source_(std::move(source)),
        facts_(mpirun_facts_here(context.caller)) {}

  int run();

 private:
  int refuse(const Diagnostic& problem);
  Status find_outer_job();
  std::optional<int> ask_hosts();
  Result<std::unique_ptr<Connection>> connect();
  std::optional<int> complete(SubmitRequest& request);
  void add_hosts(SubmitRequest& request) const;
  void note(const std::string& sentence);
  void tell_notes();
  Status give_streams(SubmitRequest& request, const MpirunOutput& output);
  void await_links(AsioLoop& loop) const;
  int submit(SubmitRequest& request, CodeCommit& commit);
  int follow(Connection& connection, HeldSignals& signals, const JobView& job, MpirunOutput& output);

  CommandContext& context_;
  MpirunSource source_;
  MpirunFacts facts_;
  std::optional<OuterJob> outer_;         // set: the ranks start on its nodes
  const ExecHostLinks* links_ = nullptr;  // to these nodes
  std::vector<JobHost> hosts_;            // with the facts of each, for a job on other hosts
  MpirunSpec made_;
  JobDraft draft_;
  CallerStreams streams_;   // of this command, for the ranks
  int copy_stdin_to_ = -1;  // FollowPlan::copy_stdin_to
};

int refuse_line(CommandContext& context, const Diagnostic& problem, const std::vector<SourceText>& texts) {
  context.screen.err(render_diagnostics({problem}, texts, context.report_style(true)));
  return mpirun_failed;
}

int MpirunRun::refuse(const Diagnostic& problem) { return refuse_line(context_, problem, source_.texts); }

void MpirunRun::note(const std::string& sentence) {
  if (!source_.flags.quiet) context_.screen.err("note:  " + sentence + "\n");
}

void MpirunRun::tell_notes() {
  for (const std::string& each : source_.flags.ignored) note(each);
  for (const std::string& each : made_.notes) note(each);
  for (const std::string& each : draft_.remarks) note(each);
  if (source_.places.remote && source_.flags.input == "0" && stdin_is_pipe())
    note("stdin is a pipe, but ranks on other hosts cannot read it; let the program read a file, or add --stdin none");
  if (!source_.flags.quiet) context_.screen.err(state_remark(context_.caller));
}

// Inside a job on several nodes, these are the hosts, unless the command line names others.
Status MpirunRun::find_outer_job() {
  auto outer = outer_job(context_.caller);
  if (!outer.ok()) return outer.status();
  if (!*outer) use_slots(context_.caller, source_.places);
  const bool elsewhere = !source_.places.hosts.empty() && !source_.places.remote;
  const std::string job = context_.caller.variable("MUSTER_JOB_NAME").value_or("");
  if (!*outer || elsewhere || !use_nodes((*outer)->nodes, job, source_.places, facts_)) return {};
  outer_ = std::move(*outer);
  hosts_ = hosts_of(outer_->nodes);
  return {};
}

// The layout depends on the cores of hosts without slots, so hosts are asked first.
std::optional<int> MpirunRun::ask_hosts() {
  JobDraft asked;
  asked.spec.backend = BackendKind::ssh;
  for (const MpirunHost& host : source_.places.hosts) {
    asked.spec.hosts.emplace_back();
    asked.spec.hosts.back().name = host.name;
  }
  int code = exit_ok;
  auto hosts = visit_job_hosts(context_, asked, code);
  if (!hosts) return mpirun_failed;
  hosts_ = std::move(*hosts);
  for (const JobHost& host : hosts_)
    facts_.hosts[host.name] = machine_of(host.machine.places, host.machine.cpus.size());
  return std::nullopt;
}

// Only the hosts of the job, with its labels.
void MpirunRun::add_hosts(SubmitRequest& request) const {
  std::vector<JobHost> used;
  for (const HostSpec& host : draft_.spec.hosts) {
    const auto found =
        std::find_if(hosts_.begin(), hosts_.end(), [&](const JobHost& h) { return h.name == host.name; });
    if (found == hosts_.end()) continue;
    used.push_back(*found);
    used.back().label = host.label;
  }
  request.hosts_json = hosts_to_json(used);
}

// Makes the request; a value: the exit code, after the problems have been printed.
std::optional<int> MpirunRun::complete(SubmitRequest& request) {
  draft_.origin = "the command line";
  draft_.spec = made_.spec;
  draft_.backends = draft_backends();
  for (const DraftBackend* backend : draft_.backends) {
    if (backend->kind() == draft_.spec.backend) backend->check(draft_, context_.caller);
  }
  request = complete_draft(draft_, context_.caller);
  if (has_errors(draft_.diagnostics)) {
    context_.screen.err(draft_text(context_, draft_, true));
    return code_of_problem(draft_.diagnostics);
  }
  remove_outer_variables(request.environment);
  if (source_.places.remote) add_hosts(request);
  return std::nullopt;
}

// As with mpirun, one rank reads the command's stdin. A single rank whose output is the terminal has a terminal.
Status MpirunRun::give_streams(SubmitRequest& request, const MpirunOutput& output) {
  const auto choice = parse_stdin_choice(source_.flags.input);
  if (!choice.ok()) return choice.status();
  if (source_.places.remote) {
    if (source_.flags.input == "all" || source_.flags.input != "0" || stdin_has_file())
      return choice->none()
                 ? Status()
                 : Status(Code::unimplemented,
                          "ranks on other hosts cannot read the stdin of this command; let the program read a "
                          "file, or add --stdin none");
    return {};
  }
  if (choice->rank && *choice->rank >= made_.ranks)
    return {Code::invalid_argument, "--stdin: there is no rank " + std::to_string(*choice->rank) + ", the job has " +
                                        count_of(made_.ranks, "rank")};
  const bool alone = made_.ranks == 1 && !output.has_labels() && !output.has_files();
  if (alone && !choice->none()) streams_.window = window_here(context_.caller, true);
  if (!streams_.window || !streams_.window->keys) {
    auto given = stdin_for_ranks(context_.caller, *choice);
    if (!given.ok()) return given.status();
    streams_.input = given->input;
    copy_stdin_to_ = given->copy_to.release();
  }
  request.streams = streams_;
  return {};
}

int MpirunRun::run() {
  if (const Status found = find_outer_job(); !found.ok()) return fail(context_, found), mpirun_failed;
  if (source_.places.remote && !outer_) {
    if (const auto code = ask_hosts()) return *code;
  }
  MpirunLayout layout = mpirun_layout(source_.flags, source_.places, facts_);
  if (layout.problem) return refuse(*layout.problem);
  if (source_.flags.apps.size() > 1 && !source_.places.remote) {
    const auto missing = missing_program(source_.flags, context_.caller);
    if (missing) return refuse(*missing), code_of_problem({*missing});
  }
  if (outer_ && layout.cpus > 0) {
    layout.cpus = 0;
    layout.notes.push_back("ranks are not bound: the CPUs of the job's nodes are bound by the job itself");
  }
  made_ = mpirun_spec(source_, layout, context_.caller);
  CodeCommit commit(made_.spec.workdir, context_.caller.environment);
  SubmitRequest request;
  if (const auto code = complete(request)) return *code;
  tell_notes();
  return submit(request, commit);
}

// On hosts the job continues in the user's controller. On nodes of an outer job, it ends with this command.
Result<std::unique_ptr<Connection>> MpirunRun::connect() {
  if (!outer_) return source_.places.remote ? Connection::open(context_, true) : Connection::host(context_);
  return Connection::host([this](AsioLoop& loop) {
    return host_controller(context_.caller, loop, [this, &loop](ExecHostLinks::Take take) {
      auto links = std::make_unique<ExecHostLinks>(loop, outer_->client, outer_->nodes, std::move(take));
      links_ = links.get();
      return links;
    });
  });
}

int MpirunRun::submit(SubmitRequest& request, CodeCommit& commit) {
  MpirunOutput output(source_.flags, made_.ranks, context_.caller.workdir);
  if (const Status opened = output.open(); !opened.ok()) return fail(context_, opened), mpirun_failed;
  if (const Status given = give_streams(request, output); !given.ok()) return fail(context_, given), mpirun_failed;
  auto connection = connect();
  if (!connection.ok()) return fail(context_, connection.status()), mpirun_failed;
  HeldSignals signals((*connection)->loop());
  request.code_commit = commit.text();
  const auto job = (*connection)->client()->submit(request);
  if (!job.ok()) return fail(context_, job.status()), mpirun_failed;
  return follow(**connection, signals, *job, output);
}

int MpirunRun::follow(Connection& connection, HeldSignals& signals, const JobView& job, MpirunOutput& output) {
  FollowPlan plan;
  plan.request.job = job.id.text();
  plan.request.events = true;
  plan.request.output = true;
  plan.rules.mode = InterruptMode::standalone;
  plan.rules.forward = true;
  plan.rules.propagate = true;
  plan.window = streams_.window;
  plan.copy_stdin_to = copy_stdin_to_;
  MpirunPresenter presenter(context_.screen, connection.loop(), output,
                            {.ranks = made_.ranks,
                             .quiet = source_.flags.quiet,
                             .verbose = source_.flags.verbose,
                             .out_style = context_.out_style(),
                             .err_style = context_.err_style(),
                             .one_place = same_place(STDOUT_FILENO, STDERR_FILENO),
                             .one_stream = streams_.window.has_value()});
  presenter.view(job);
  const int code = follow_with(context_, connection, signals, job, plan, presenter);
  const auto end = connection.client()->describe(job.id.text());
  connection.announce_end();
  await_links(connection.loop());
  if (end.ok() && end->state == "failed" && end->exit_code == exit_timeout && source_.flags.seconds)
    return mpirun_timeout;
  if (end.ok() && end->state == "cancelled") return mpirun_failed;
  return code;
}

// Until the agents on nodes of the outer job have ended in order. Otherwise that job may end first and kill them.
void MpirunRun::await_links(AsioLoop& loop) const {
  constexpr Duration kPatience = std::chrono::seconds(3);
  bool late = false;
  const TimerId timer = loop.at(loop.now() + kPatience, [&] { late = true; });
  while (links_ != nullptr && links_->running() > 0 && !late && loop.run_one()) continue;
  loop.cancel(timer);
}

int show_shim(CommandContext& context) {
  const std::string state = state_folder(context.caller);
  if (state.empty())
    return fail(context, {Code::not_found, "there is no state folder for the shim; set MUSTER_STATE_DIR to a folder"});
  const auto folder = make_mpirun_shim(state + "/shim", context.caller);
  if (!folder.ok()) return fail(context, folder.status());
  context.screen.out(*folder + "\n");
  return exit_ok;
}

// MPIEXEC_TIMEOUT stands for --timeout, as with mpirun.
std::optional<Diagnostic> read_variables(MpirunFlags& flags, const CallerContext& caller) {
  constexpr const char* kName = "MPIEXEC_TIMEOUT";
  const auto typed = caller.variable(kName);
  if (!typed || flags.seconds) return std::nullopt;
  MpirunApp unused;
  const MpirunFault fault = mpirun_flag("--timeout")->take(flags, unused, {*typed});
  if (fault.ok()) return std::nullopt;
  return mpirun_problem("E1702", kName, std::string(kName) + ": " + fault.message,
                        "set it to a number of seconds, or unset it");
}

}  // namespace

int mpirun_main(CommandContext& context, const std::vector<std::string>& arguments) {
  if (context.asked != nullptr) {
    *context.asked = mpirun_facts();
    return exit_ok;
  }
  MpirunLine line = parse_mpirun(arguments);
  if (line.problem) return refuse_line(context, *line.problem, {});
  if (line.flags.help) return context.screen.out(mpirun_help()), exit_ok;
  if (line.flags.version) return context.screen.out("mpirun (muster) " + context.caller.version + "\n"), exit_ok;
  if (line.flags.shim) return show_shim(context);
  if (context.caller.workdir.empty())
    return fail(context, {Code::invalid_argument, "the folder you are in was removed; cd to one that is there"}),
           mpirun_failed;
  if (const auto problem = read_variables(line.flags, context.caller)) return refuse_line(context, *problem, {});
  MpirunSource source = read_mpirun_files(std::move(line.flags), context.caller, own_host_names());
  if (source.problem) return refuse_line(context, *source.problem, source.texts);
  return MpirunRun(context, std::move(source)).run();
}

}  // namespace muster
