// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/exec_session.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/client/view/status_lines.h"

namespace muster {
namespace {

int code_of_refusal(int code) {
  if (static_cast<Code>(code) == Code::not_found) return exit_no_program;
  if (static_cast<Code>(code) == Code::permission_denied) return exit_not_executable;
  return exit_exec_trouble;
}

// The program ends with its ranks; the ranks of the next attempt are other processes.
std::string what_ended(const JobView& job) {
  if (job.done) return job.name + " has ended (" + job.state + "), so this program was ended with its ranks";
  return job.name + " restarts, so this program was ended with its ranks; to run it in the next attempt: muster exec " +
         job.name;
}

std::string not_started(const JobView& job, uint32_t index, const Style& style) {
  const auto rank =
      std::find_if(job.ranks.begin(), job.ranks.end(), [&](const RankView& each) { return each.index == index; });
  return (rank == job.ranks.end() ? "the rank" : rank->name) + " of " + job.name +
         " has not started yet; to see what it waits for: muster why " + asked_as(job, style);
}

// True if all ranks have ended, but it is not known yet whether the job ends or restarts.
bool is_between(const JobView& job) {
  return !job.done && job.state != "backoff" &&
         std::all_of(job.ranks.begin(), job.ranks.end(),
                     [](const RankView& rank) { return rank.phase == RankPhase::exited; });
}

}  // namespace

ExecSession::ExecSession(CommandContext& context, AsioLoop& loop, JobClient& client, ExecStart start, bool reads)
    : context_(context),
      loop_(loop),
      client_(client),
      start_(std::move(start)),
      reads_(reads) {}

int ExecSession::run(HeldSignals& signals) {
  auto channel = client_.exec(start_);
  viewer_ = std::make_unique<ExecViewer>(
      loop_, std::move(channel), ViewerEnds{.in = reads_ ? STDIN_FILENO : -1},
      ExecViewer::Handlers{.typed = [this](std::string_view bytes) { return typed(bytes); },
                           .over = [this](const ExecEnd& end) { over(end); },
                           .broken = [this](int error) { unread(error); }});
  const bool raw = start_.tty && reads_ && keyboard_.grab(Keyboard::Mode::relay);
  const auto resized = loop_.watch_signal(SIGWINCH, [this] { resize(); });
  // Another program had the terminal while this process was stopped.
  const auto resumed = loop_.watch_signal(SIGCONT, [this, raw] {
    if (raw) keyboard_.grab(Keyboard::Mode::relay);
    resize();
  });
  signals.deliver_to([this](int number) { signalled(number); });
  while (!code_ && loop_.run_one()) {
  }
  signals.deliver_to(nullptr);
  viewer_.reset();
  keyboard_.release();
  return end_ ? explain(*end_) : code_.value_or(exit_exec_trouble);
}

std::string ExecSession::typed(std::string_view bytes) {
  if (!start_.tty || !context_.caller.stdin_tty) return std::string(bytes);
  bool left = false;
  std::string passed = escape_.pass(bytes, left);
  if (left) leave(exit_exec_trouble);
  return passed;
}

// Without a remote terminal, the first Ctrl-C is passed on to the program. The second one leaves.
void ExecSession::signalled(int number) {
  if (number == SIGINT && !std::exchange(interrupted_, true)) return viewer_->signal(SIGINT);
  leave(128 + number);
}

void ExecSession::resize() {
  winsize size{};
  if (!start_.tty || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return;
  viewer_->resize(size.ws_row, size.ws_col);
}

void ExecSession::unread(int error) {
  if (error == EPIPE) return leave(128 + SIGPIPE);
  const Status why = errno_status(error, "cannot write the program's output");
  context_.screen.err(error_line(context_.err_style(), why.message()));
  leave(exit_exec_trouble);
}

void ExecSession::leave(int code) {
  if (!code_) code_ = code;
}

void ExecSession::over(const ExecEnd& end) {
  end_ = end;
  leave(exit_ok);
}

// Waits until it is known whether the job ends or restarts, which is decided after its ranks have ended.
Result<JobView> ExecSession::settled() {
  constexpr Duration kPatience = std::chrono::seconds(2);
  constexpr Duration kAgain = std::chrono::milliseconds(20);
  const TimePoint late = loop_.now() + kPatience;
  Result<JobView> job = client_.describe(start_.job);
  while (job.ok() && is_between(*job) && loop_.now() < late) {
    bool again = false;
    loop_.at(loop_.now() + kAgain, [&] { again = true; });
    while (!again && loop_.run_one()) continue;
    job = client_.describe(start_.job);
  }
  return job;
}

int ExecSession::explain(const ExecEnd& end) {
  std::string why = end.why;
  if (end.exit && !why.empty()) {
    const auto job = settled();
    if (job.ok()) why = what_ended(*job);
  }
  if (!end.exit && why == kRankNotStarted) {
    const auto job = client_.describe(start_.job);
    if (job.ok()) why = not_started(*job, start_.index, context_.err_style());
  }
  if (!why.empty()) context_.screen.err(error_line(context_.err_style(), why));
  if (end.exit) return shell_code(*end.exit);
  return code_of_refusal(end.code);
}

}  // namespace muster
