// SPDX-License-Identifier: Apache-2.0
// muster torchrun: runs a job from a command line of torchrun.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "core/attempt/assignment.h"
#include "core/client/beginning_of.h"
#include "core/client/connect/paths.h"
#include "core/client/connect/state_place.h"
#include "core/client/submission/code_commit.h"
#include "core/client/view/status_lines.h"
#include "core/system/store/output/file_output_files.h"
#include "launcher/cli/draft_report.h"
#include "launcher/follow/following.h"
#include "launcher/follow/stdin_choice.h"
#include "launcher/torchrun/gang_place.h"
#include "launcher/torchrun/log_folder.h"
#include "launcher/torchrun/torchrun_job.h"
#include "launcher/torchrun/torchrun_line.h"
#include "launcher/torchrun/torchrun_presenter.h"

namespace muster {
namespace {

constexpr const char* kErrorFile = "TORCHELASTIC_ERROR_FILE";

// Index of the first rank on `node` in the newest attempt.
std::optional<uint32_t> first_of_node(const JobView& job, NodeIndex node) {
  const auto first =
      std::find_if(job.ranks.begin(), job.ranks.end(), [&](const RankView& r) { return r.node == node; });
  return first == job.ranks.end() ? std::nullopt : std::optional<uint32_t>(first->index);
}

bool has_culprit(const JobView& job) { return !job.attempts.empty() && job.attempts.back().culprit.has_value(); }

// One run: submits the job, follows it, and reports its failure as torchrun does.
class TorchrunRun {
 public:
  TorchrunRun(CommandContext& context, TorchrunJob job) : context_(context), job_(std::move(job)) {}

  int run();

 private:
  Status make_folder();
  Status give_streams(SubmitRequest& request);
  Result<std::unique_ptr<Connection>> connect(SubmitRequest& request);
  Result<std::unique_ptr<Connection>> meet(SubmitRequest& request);
  void parted(const Status& why);
  int fail_to_start(const Status& why);
  int follow(Connection& connection, HeldSignals& signals, const JobView& job);
  uint32_t known_first(Attempt attempt) const;
  uint32_t first_of(Connection& connection, const JobId& job, Attempt attempt);
  std::optional<uint32_t> local_culprit(const JobView& job) const;
  std::string error_file(const JobView& job) const;
  std::string files_of(const JobView& job, Attempt attempt, const PlannedRank& rank) const;
  FailureFacts facts(const JobView& job, const RankLogs& logs) const;
  void copy_error_file(const JobView& job) const;
  void copy_error_files(const JobView& job, const RankLogs& logs) const;

  CommandContext& context_;
  TorchrunJob job_;
  std::string folder_;                  // folder of --log-dir; empty: none
  std::map<Attempt, uint32_t> firsts_;  // first rank of this host by attempt; it changes if hosts join or leave
  NodeIndex node_ = 0;                  // this host's node of the job
  AsioLoop* loop_ = nullptr;
  bool parted_ = false;
  CallerStreams streams_;   // of this command, for the ranks
  int copy_stdin_to_ = -1;  // FollowPlan::copy_stdin_to
};

Status TorchrunRun::make_folder() {
  if (!job_.wants_folder()) return {};
  const std::string temporary = context_.caller.variable("TMPDIR").value_or("/tmp");
  const auto made = make_log_folder(job_.flags.log_dir, job_.settings.run_id, temporary, context_.caller.workdir);
  if (!made.ok()) return made.status();
  folder_ = *made;
  return {};
}

// As with torchrun, ranks on this machine read the command's stdin; of several only rank 0, because each byte has one reader. A single
// rank whose output is the terminal has a terminal.
Status TorchrunRun::give_streams(SubmitRequest& request) {
  if (job_.settings.meeting) return {};
  const bool unchanged = job_.rules.label(0, OutputStream::out) == "" && job_.rules.label(0, OutputStream::err) == "";
  const bool alone = job_.settings.ranks == 1 && unchanged;
  if (alone) streams_.window = window_here(context_.caller, true);
  if (!streams_.window || !streams_.window->keys) {
    auto given = stdin_for_ranks(context_.caller, {.rank = 0});
    if (!given.ok()) return given.status();
    streams_.input = given->input;
    copy_stdin_to_ = given->copy_to.release();
  }
  request.streams = streams_;
  return {};
}

int TorchrunRun::run() {
  for (const std::string& sentence : job_.draft.remarks) context_.screen.err(sentence + "\n");
  context_.screen.err(state_remark(context_.caller));
  CodeCommit commit(job_.draft.spec.workdir, context_.caller.environment);
  SubmitRequest request = complete_draft(job_.draft, context_.caller);
  if (has_errors(job_.draft.diagnostics)) {
    context_.screen.err(draft_text(context_, job_.draft, true));
    return exit_usage;
  }
  if (const Status made = make_folder(); !made.ok()) return fail(context_, made);
  if (const Status given = give_streams(request); !given.ok()) return fail_to_start(given);
  auto connection = connect(request);
  if (!connection.ok()) return fail_to_start(connection.status());
  HeldSignals signals((*connection)->loop(), job_.settings.signals);
  request.code_commit = commit.text();
  const auto job = (*connection)->client()->submit(request);
  if (!job.ok()) return fail(context_, job.status());
  return follow(**connection, signals, *job);
}

Result<std::unique_ptr<Connection>> TorchrunRun::connect(SubmitRequest& request) {
  return job_.settings.meeting ? meet(request) : Connection::host(context_);
}

Result<std::unique_ptr<Connection>> TorchrunRun::meet(SubmitRequest& request) {
  const auto say = [this](const std::string& what) {
    context_.screen.err(remark("muster", what, context_.err_style()));
  };
  auto place = gang_place(job_.settings, context_.caller);
  if (!place.ok()) return place.status();
  request.environment.erase(kTokenVariable);
  auto connection = Connection::meet(context_, *place, request, job_.settings.signals, say,
                                     [this](const Status& why) { parted(why); });
  if (connection.ok()) loop_ = &(*connection)->loop();
  if (connection.status().code() != Code::unavailable) return connection;
  const std::string port = std::to_string(place->port);
  return Status(Code::unavailable, connection.status().message() + ": `ss -ltnp sport = :" + port +
                                       "` shows the process that uses it; choose another port on all hosts, with " +
                                       (job_.settings.meeting->node_rank ? "--master-port" : "--rdzv-endpoint"));
}

// This host and the job have parted: the command ends.
void TorchrunRun::parted(const Status& why) {
  parted_ = true;
  context_.screen.err(error_line(context_.err_style(), why.message()));
  if (loop_ != nullptr) loop_->stop();
}

// As torchrun: 2 for a wrong command line, 1 for every other failure.
int TorchrunRun::fail_to_start(const Status& why) {
  fail(context_, why);
  return why.code() == Code::not_found || why.code() == Code::invalid_argument ? exit_usage : exit_job_failed;
}

uint32_t TorchrunRun::known_first(Attempt attempt) const {
  const auto known = firsts_.upper_bound(attempt);
  return known == firsts_.begin() ? 0 : std::prev(known)->second;
}

// Known when the attempt runs; until then, the value of the previous attempt.
uint32_t TorchrunRun::first_of(Connection& connection, const JobId& job, Attempt attempt) {
  const uint32_t before = known_first(attempt);
  if (firsts_.contains(attempt)) return before;
  const auto now = connection.client()->describe(job.text());
  if (!now.ok() || now->attempt != attempt) return before;
  const auto first = first_of_node(*now, connection.node());
  if (!first) return before;
  job_.rules.count_ranks_from(*first);
  return firsts_[attempt] = *first;
}

// The rank that failed first, as a number among this host's ranks, from 0. nullopt: it is on another host, or none failed.
std::optional<uint32_t> TorchrunRun::local_culprit(const JobView& job) const {
  if (!has_culprit(job)) return std::nullopt;
  const uint32_t culprit = *job.attempts.back().culprit;
  const uint32_t first = first_of_node(job, node_).value_or(0);
  const bool here = culprit >= first && culprit - first < job_.settings.ranks;
  return here ? std::optional<uint32_t>(culprit - first) : std::nullopt;
}

int TorchrunRun::follow(Connection& connection, HeldSignals& signals, const JobView& job) {
  node_ = connection.node();
  FollowPlan plan;
  plan.request.job = job.id.text();
  plan.request.events = true;
  plan.request.output = true;
  plan.rules.mode = InterruptMode::standalone;
  plan.rules.forward = true;
  plan.window = streams_.window;
  plan.copy_stdin_to = copy_stdin_to_;
  RankLogs logs(folder_, job_.rules.files(), job_.settings.ranks);
  FilteredCopies copies(folder_, job_.flags.duplicate_stdout_filters, job_.flags.duplicate_stderr_filters, job_.rules);
  TorchrunPresenter presenter(context_.screen, connection.loop(),
                              {.first = [&](Attempt attempt) { return first_of(connection, job.id, attempt); },
                               .ranks = job_.settings.ranks,
                               .rules = job_.rules,
                               .logs = logs,
                               .copies = copies,
                               .out_style = context_.out_style(),
                               .err_style = context_.err_style(),
                               .since = job.attempt,
                               .one_place = same_place(STDOUT_FILENO, STDERR_FILENO),
                               .one_stream = streams_.window.has_value(),
                               .facts = [&](const JobView& failed) { return facts(failed, logs); }});
  presenter.view(job);
  const int code = follow_with(context_, connection, signals, job, plan, presenter);
  if (const auto now = connection.client()->describe(job.id.text()); now.ok()) {
    copy_error_file(*now);
    copy_error_files(*now, logs);
  }
  connection.announce_end();
  // As torchrun: only 0 and 1. A job that was stopped by a signal has failed.
  return code == exit_ok && !parted_ ? exit_ok : exit_job_failed;
}

// The error file of the rank that failed first; empty if it is not on this host.
std::string TorchrunRun::error_file(const JobView& job) const {
  if (!local_culprit(job)) return "";
  const AttemptView& attempt = job.attempts.back();
  PlannedRank culprit;
  culprit.rank = *attempt.culprit;
  return beginning_of(error_file_beside(files_of(job, attempt.attempt, culprit)));
}

// Path of a rank's output files on this host, without the suffix of the stream.
std::string TorchrunRun::files_of(const JobView& job, Attempt attempt, const PlannedRank& rank) const {
  return FileOutputFiles::folder_in(state_folder(context_.caller), job.id, attempt) + "/" +
         rank_file(job_.draft.spec, rank);
}

// Call it after the job has failed, when the error file is complete.
FailureFacts TorchrunRun::facts(const JobView& job, const RankLogs& logs) const {
  FailureFacts facts;
  facts.interpreter = job_.interpreter;
  const std::string text = error_file(job);
  facts.error = parse_error_file(text);
  const auto culprit = local_culprit(job);
  if (!culprit && has_culprit(job)) {
    const uint32_t index = *job.attempts.back().culprit;
    if (index < job.ranks.size()) facts.elsewhere = job.ranks[index].host;
  }
  if (!culprit || folder_.empty()) return facts;
  const std::string folder = logs.folder_of(job.attempts.back().attempt, *culprit);
  if (access((folder + "stderr.log").c_str(), R_OK) == 0) facts.log_file = folder + "stderr.log";
  return facts;
}

// A launcher that started torchrun with TORCHELASTIC_ERROR_FILE reads the first failure from that file.
void TorchrunRun::copy_error_file(const JobView& job) const {
  const auto target = context_.caller.variable(kErrorFile);
  const std::string text = target ? error_file(job) : "";
  if (text.empty()) return;
  const ExitStatus& exit = job.attempts.back().culprit_exit;
  const int code = exit.signal != 0 ? -exit.signal : exit.code;
  std::ofstream(*target, std::ios::binary | std::ios::trunc) << error_file_with_code(text, code);
}

// Copies the error files of this host's ranks, of all attempts, into the folder of --log-dir.
void TorchrunRun::copy_error_files(const JobView& job, const RankLogs& logs) const {
  if (folder_.empty()) return;
  for (const AttemptView& attempt : job.attempts) {
    PlannedRank rank;
    rank.rank = known_first(attempt.attempt);
    for (uint32_t local = 0; local < job_.settings.ranks; ++local, ++rank.rank) {
      const std::string text = beginning_of(error_file_beside(files_of(job, attempt.attempt, rank)));
      if (!text.empty()) std::ofstream(logs.folder_of(attempt.attempt, local) + "error.json", std::ios::binary) << text;
    }
  }
}

int wrong_line(CommandContext& context, const std::string& sentence) {
  context.screen.err(error_line(context.err_style(), sentence));
  return exit_usage;
}

int run_line(CommandContext& context, const TorchrunLine& line) {
  switch (line.kind) {
    case TorchrunLine::Kind::help: context.screen.out(torchrun_help()); return exit_ok;
    case TorchrunLine::Kind::wrong: return wrong_line(context, line.wrong);
    case TorchrunLine::Kind::completion:
      context.screen.out(torchrun_completion(*line.flags.print_completion));
      return exit_ok;
    case TorchrunLine::Kind::run: break;
  }
  auto job = torchrun_job(line.flags, context.caller);
  if (!job.ok()) return wrong_line(context, job.status().message());
  return TorchrunRun(context, std::move(*job)).run();
}

}  // namespace

int torchrun_main(CommandContext& context, const std::vector<std::string>& arguments) {
  if (context.asked != nullptr) {
    *context.asked = torchrun_facts();
    return exit_ok;
  }
  return run_line(context, parse_torchrun(arguments, context.caller.environment));
}

std::optional<int> torchrun_module_main(CommandContext& context, const std::vector<std::string>& words) {
  const std::optional<TorchrunLine> line = parse_torchrun_module(words, context.caller.environment);
  return line ? std::optional(run_line(context, *line)) : std::nullopt;
}

}  // namespace muster
