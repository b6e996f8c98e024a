// SPDX-License-Identifier: Apache-2.0
// muster run and muster submit: submit a job from a job file or a command line; run also follows it to its end.
#include "core/base/text.h"
#include "core/client/connect/state_place.h"
#include "core/client/submission/code_commit.h"
#include "core/client/submission/job_draft.h"
#include "core/client/submission/job_source.h"
#include "core/client/view/json.h"
#include "core/client/view/status_lines.h"
#include "core/job/diagnostic.h"
#include "core/job/plan/plan_hosts.h"
#include "launcher/cli/cluster_runtimes.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/draft_report.h"
#include "launcher/cli/job_flag_lines.h"
#include "launcher/cli/output_format.h"
#include "launcher/command/file/plan_output.h"
#include "launcher/command/file/render_cluster.h"
#include "launcher/command/host/host_visit.h"
#include "launcher/command/job/run_streams.h"
#include "launcher/composition/draft_backends.h"
#include "launcher/composition/wire.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

struct RunFlags {
  JobWords job;
  bool detach = false;
  bool standalone = false;
  bool dry_run = false;
  bool propagate = false;
  bool quiet = false;
  std::string format = "text";
  std::optional<std::string> input;
  ClusterWords cluster;
};

FollowPlan plan_for(const CommandContext& context, const RunFlags& flags, const JobView& job, const JobSpec& spec,
                    const RunStreams& here) {
  FollowPlan plan;
  plan.request.job = job.id.text();
  plan.request.events = true;
  plan.request.output = true;
  plan.rules.mode = flags.standalone ? InterruptMode::standalone : InterruptMode::run;
  plan.rules.interactive = context.caller.interactive() && !flags.standalone;
  plan.rules.propagate = flags.propagate;
  plan.text.events = !flags.quiet;
  if (!flags.quiet && !is_document(flags.format))
    plan.text.start_note = gpu_note(spec, job, [&] { return gpus_here(context.caller); });
  plan.json = is_document(flags.format);
  plan.yaml = flags.format == "yaml";
  plan.tty_rank = spec.tty_rank;
  plan.window = here.streams.window;
  plan.copy_stdin_to = here.copy_stdin_to;
  return plan;
}

// Prints the name of the job; with -q nothing else, for scripts.
int leave(CommandContext& context, const RunFlags& flags, const JobView& job, const std::string& place) {
  if (is_document(flags.format)) {
    print_document(context.screen, flags.format, job_json(job, context.out_style().now));
    return exit_ok;
  }
  context.screen.out(job.name + "\n");
  if (!flags.quiet && flags.format != "name") {
    if (!job.waits_for.empty())
      context.screen.err(remark(job.name, "is queued: waits for " + escaped(job.waits_for), context.err_style()));
    context.screen.err("next:  muster attach " + job.name + place + "   # follow the job\n       muster describe " +
                       job.name + place + "   # show its state\n");
  }
  return exit_ok;
}

ClusterPlace cluster_place(const RunFlags& flags, const JobSpec& spec) {
  ClusterPlace place = flags.cluster.place();
  if (place.space.empty()) place.space = spec.kubernetes.cluster_namespace;
  return place;
}

// Sends the job's commit to the controller when git has answered, or at the latest in the destructor. The job starts meanwhile.
class LateCode {
 public:
  LateCode(Connection& connection, const JobView& job, CodeCommit& commit)
      : controller_(connection.controller()),
        job_(job.id.text()),
        commit_(commit) {
    if (commit.fd() >= 0) watch_ = connection.loop().watch_readable(commit.fd(), [this] { tell(); });
  }
  ~LateCode() { tell(); }
  LateCode(const LateCode&) = delete;
  LateCode& operator=(const LateCode&) = delete;

 private:
  void tell() {
    if (std::exchange(told_, true)) return;
    watch_.reset();
    const std::string text = commit_.text();
    if (!text.empty()) static_cast<void>(controller_->note_code(job_, text));  // if it fails, the record has no commit
  }

  const std::shared_ptr<ControllerClient> controller_;
  const std::string job_;
  CodeCommit& commit_;
  std::unique_ptr<LoopWatch> watch_;
  bool told_ = false;
};

int start(CommandContext& context, const RunFlags& flags, SubmitRequest request, const JobSpec& spec,
          CodeCommit& commit) {
  const auto here =
      flags.detach ? RunStreams()
                   : streams_for_run(context.caller, spec, flags.input.value_or("none"), !is_document(flags.format));
  if (!here.ok()) return fail(context, here.status());
  request.streams = here->streams;
  const bool in_cluster = spec.backend == BackendKind::kubernetes;
  const ClusterPlace place = cluster_place(flags, spec);
  auto connection = flags.standalone ? Connection::host(context)
                    : in_cluster     ? Connection::open_cluster(context, place)
                                     : Connection::open(context, true);
  if (!connection.ok()) return fail(context, connection.status());
  HeldSignals signals((*connection)->loop());
  const bool told_later = !in_cluster && !flags.standalone;
  if (!told_later) request.code_commit = commit.text();
  const auto job = (*connection)->client()->submit(request);
  if (!job.ok()) {
    return fail_as_typed(context, job.status(), flags.job.flags);
  }
  std::optional<LateCode> late;
  if (told_later) late.emplace(**connection, *job, commit);
  if (flags.detach) return leave(context, flags, *job, in_cluster ? cluster_flags(place) : "");
  const int code = follow_job(context, **connection, signals, *job, plan_for(context, flags, *job, spec, *here));
  const bool failed = code == exit_job_failed || (flags.propagate && code > 0 && code < exit_unread);
  const std::string note = failed && !flags.quiet && !is_document(flags.format)
                               ? missed_stdin_note(spec, flags.input.value_or(""))
                               : std::string();
  if (!note.empty()) context.screen.err("note:  " + note + "\n");
  return code;
}

// Asks the hosts of the job and adds their facts to the request. If it returns a value, nothing is started.
std::optional<int> ask_hosts(CommandContext& context, const RunFlags& flags, JobDraft& draft, SubmitRequest& request) {
  int code = exit_ok;
  const auto hosts = visit_job_hosts(context, draft, code);
  if (!hosts) return code;
  if (hosts->empty()) return std::nullopt;
  const auto plan = plan_on_hosts(draft.spec, *hosts);
  if (!plan.ok()) return fail_as_typed(context, plan.status(), flags.job.flags);
  for (std::string& remark : remarks_on_hosts(*plan, *hosts)) draft.remarks.push_back(std::move(remark));
  request.hosts_json = hosts_to_json(*hosts);
  return std::nullopt;
}

Status contradiction(const RunFlags& flags, const JobSpec& spec) {
  if (flags.standalone && spec.backend == BackendKind::ssh)
    return {Code::invalid_argument,
            "--standalone is not possible with hosts: a lost connection would end the job; "
            "leave it out, muster starts a controller by itself"};
  if (flags.standalone && spec.backend == BackendKind::kubernetes)
    return {Code::invalid_argument,
            "--standalone runs a job inside this command, but a job in a cluster runs in pods; leave it out"};
  const bool for_cluster = spec.backend == BackendKind::kubernetes || flags.job.flags.cluster_runtimes;
  if (!for_cluster && flags.cluster.place() != ClusterPlace{})
    return {Code::invalid_argument, "--context and --namespace are only for a cluster, but this job's backend is " +
                                        std::string(to_string(spec.backend)) + "; add --backend kubernetes"};
  return {};
}

// With --dry-run nothing is created in a cluster, so the namespace becomes a key of the job.
JobWords words_of(const CommandContext& context, const RunFlags& flags) {
  JobWords words = flags.job;
  words.runtimes = runtime_lookup(context, words.flags, flags.cluster.place());
  if (flags.dry_run) words.flags.space = flags.cluster.space;
  return words;
}

int run(CommandContext& context, const RunFlags& flags) {
  auto draft = draft_job(words_of(context, flags), context.caller, draft_backends());
  if (!draft.ok()) {
    fail(context, draft.status());
    return exit_usage;
  }
  const bool document = is_document(flags.format);
  std::optional<CodeCommit> commit;  // read last, because git runs in the background
  if (!flags.dry_run) commit.emplace(draft->spec.workdir, context.caller.environment);
  if (flags.dry_run) check_programs(*draft, context.caller);
  SubmitRequest request = flags.dry_run ? SubmitRequest{} : complete_draft(*draft, context.caller);
  if (has_errors(draft->diagnostics)) {
    if (document) print_document(context.screen, flags.format, draft_json(*draft));
    if (!document) context.screen.err(draft_text(context, *draft, true));
    return exit_code_of(*draft);
  }
  if (const Status refused = contradiction(flags, draft->spec); !refused.ok()) return fail(context, refused);
  if (!draft->diagnostics.empty() && !flags.quiet) context.screen.err(draft_text(context, *draft, true));
  if (flags.dry_run && draft->spec.backend == BackendKind::kubernetes)
    return render_cluster(context, flags.job, *draft, flags.format, false);
  if (flags.dry_run) return show_plan(context, *draft, flags.job.flags, flags.format);
  if (const auto refused = ask_hosts(context, flags, *draft, request)) return *refused;
  if (!flags.quiet && !document) {
    for (const std::string& sentence : draft->remarks) context.screen.err(sentence + "\n");
    if (draft->spec.backend != BackendKind::kubernetes) context.screen.err(state_remark(context.caller));
  }
  return start(context, flags, std::move(request), draft->spec, *commit);
}

void declare_common(const CommandContext& context, CommandLine& line, RunFlags& flags, const std::string& quiet) {
  declare_job_flags(line, flags.job.flags);
  declare_cluster_place(line, flags.cluster);
  declare_cluster_runtimes(line, flags.job.flags);
  line.flag("-q,--quiet", flags.quiet, quiet)
      .words("a job file, or -- and a program", 1, 1, flags.job.files)
      .rest(flags.job.command, runnable_here(context.caller));
}

}  // namespace

int run_main(CommandContext& context, const std::vector<std::string>& arguments) {
  RunFlags flags;
  CommandLine line("run [FILE] [flags] [-- PROGRAM ARGUMENTS…]", "Submits a job and follows it to its end.",
                   "muster run job.yaml --workers 4\nmuster run -n 2 -- python train.py --epochs 2");
  line.note(
      "A rank is one process of the job. On a terminal, Ctrl-C asks whether to detach (d), stop the job (s) or kill it "
      "(k). If the terminal closes, the job continues.");
  line.flag("-d,--detach", flags.detach, "submit the job, print its name and exit")
      .flag("--standalone", flags.standalone,
            "run without a controller (muster's process for all your jobs); the job ends with this command")
      .flag("--dry-run", flags.dry_run, "show the plan and start nothing")
      .value("--stdin", "RANK|all|none", flags.input, "which ranks read this command's stdin (default: none)")
      .flag("--propagate", flags.propagate, "exit with the code of the first rank that failed");
  declare_common(context, line, flags, "print only the output of the ranks");
  line.choice("-o,--output", {"text", "json", "yaml"}, flags.format, stream_format_help);
  flags.job.flags.typed = line.flags_of(arguments);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (flags.detach && flags.input.value_or("none") != "none")
    return fail(context, {Code::invalid_argument,
                          "--stdin passes on this command's stdin, and with --detach the command ends; choose one"});
  if (flags.detach && flags.standalone) {
    return fail(context, {Code::invalid_argument,
                          "--detach lets the job continue and --standalone ends it with this command; choose one"});
  }
  return run(context, flags);
}

int submit_main(CommandContext& context, const std::vector<std::string>& arguments) {
  RunFlags flags;
  flags.detach = true;
  CommandLine line("submit [FILE] [flags] [-- PROGRAM ARGUMENTS…]", "Submits a job, prints its name and exits.",
                   "muster submit job.yaml\nmuster submit --hold --priority 10 job.yaml\njob=$(muster submit -q -n 4 "
                   "-- python train.py)\nmuster wait $job && muster submit next.yaml");
  line.note(
      "A job waits until the machine or its hosts have enough free capacity. It does not wait for another job: to "
      "start "
      "one job after another, use muster wait. A rank is one process of the job.");
  line.flag("--hold", flags.job.flags.hold, "keep the job in the queue until muster release JOB");
  declare_common(context, line, flags, "print only the name");
  declare_format(line, flags.format);
  flags.job.flags.typed = line.flags_of(arguments);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return run(context, flags);
}

}  // namespace muster
