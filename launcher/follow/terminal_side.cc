// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/terminal_side.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "core/client/view/status_lines.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"
#include "launcher/follow/shared_watch.h"

namespace muster {

void TerminalSide::attach(Session& session) {
  session_ = &session;
  if (session.job().done) return;
  if (window_) return attach_window();
  if (!tty_rank_ || !context_.caller.interactive() || !keyboard_.grab(Keyboard::Mode::raw)) return;
  watch_keys();
  resized_ = loop_.watch_signal(SIGWINCH, [this] { send(""); });
  context_.screen.err("keyboard input goes to rank " + std::to_string(*tty_rank_) + "; Ctrl-P Ctrl-Q detaches\n");
  send("");
}

void TerminalSide::attach_window() {
  resized_ = loop_.watch_signal(SIGWINCH, [this] { send(""); });
  if (!window_->keys) return;
  suspended_ = loop_.watch_signal(SIGTSTP, [this] { suspend(); });
  continued_ = loop_.watch_signal(SIGCONT, [this] { pass_keys(); });
  pass_keys();
}

// A command in the background must not change or read the terminal (SIGTTOU, SIGTTIN).
void TerminalSide::pass_keys() {
  keys_.reset();
  if (tcgetpgrp(STDIN_FILENO) != getpgrp() || !keyboard_.grab(Keyboard::Mode::typing)) return;
  watch_keys();
}

// The shell gets the terminal as it was.
void TerminalSide::suspend() {
  keys_.reset();
  keyboard_.release();
  raise(SIGSTOP);
}

void TerminalSide::watch_keys() {
  keys_ = watch_shared(loop_, STDIN_FILENO, Ready::to_read, [this] { typed(); });
}

void TerminalSide::ask(bool wanted) {
  asking_ = wanted;
  loop_.cancel(countdown_);
  if (wanted) {
    answer_by_ = loop_.now() + Session::patience;
    // Keys typed before the question do not answer it. Keys typed after it, such as Ctrl-C, must not be discarded.
    tcflush(STDIN_FILENO, TCIFLUSH);
    if (keyboard_.grab(Keyboard::Mode::keys)) watch_keys();
    show_question();
    return;
  }
  keys_.reset();
  keyboard_.release();
  presenter_.ask("");
  if (window_ && window_->keys) pass_keys();
}

void TerminalSide::show_question() {
  constexpr Duration kSecond = std::chrono::seconds(1);
  const Duration left = answer_by_ - loop_.now();
  const JobView& job = session_->job();
  const Duration grace = parse_job_json(job.spec_json, job.name).spec.timeouts.stop;
  const auto seconds = (left + kSecond / 2) / kSecond;
  presenter_.ask(interrupt_question(grace, context_.err_style().columns, static_cast<uint32_t>(seconds)));
  if (left > kSecond) countdown_ = loop_.at(loop_.now() + kSecond, [this] { show_question(); });
}

void TerminalSide::typed() {
  bool closed = false;
  const std::string keys = Keyboard::read_typed(closed);
  if (closed) {
    keys_.reset();
    return session_->signal(SIGHUP);
  }
  if (!asking_) return relay(keys);
  for (const char key : keys) session_->key(key);
}

void TerminalSide::relay(const std::string& keys) {
  if (window_) return send(keys);
  bool left = false;
  const std::string passed = leave_keys_.pass(keys, left);
  if (!passed.empty()) send(passed);
  if (left) session_->signal(SIGHUP);
}

// Fails if the rank does not run yet. The error is ignored, because the user can type again.
void TerminalSide::send(const std::string& bytes) {
  winsize size{};
  ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
  const Status ignored =
      session_->client().type({session_->job().id.text(), tty_rank_.value_or(0), bytes, size.ws_row, size.ws_col});
  static_cast<void>(ignored);
}

}  // namespace muster
