// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/session.h"

#include <csignal>

#include "core/client/exit_code.h"
#include "core/client/view/status_lines.h"

namespace muster {

Session::Session(Loop& loop, std::shared_ptr<ControlClient> client, Follower::Connect connect, NearFiles* files,
                 JobView job, SessionRules rules, Presenter& presenter, Hooks hooks)
    : loop_(loop),
      rules_(rules),
      presenter_(presenter),
      hooks_(std::move(hooks)),
      job_(std::move(job)),
      interrupts_(rules.mode, rules.interactive),
      follower_(loop, std::move(client), std::move(connect), files, *this) {}

Session::~Session() { loop_.cancel(question_); }

void Session::start(FollowRequest request) {
  watching_events_ = request.events;
  follower_.start(std::move(request));
}

void Session::on_event(const JobEvent& event) {
  if (!finished_) presenter_.event(event);
}

void Session::on_view(const JobView& view) {
  if (finished_) return;
  job_ = view;
  presenter_.view(view);
  if (hooks_.viewed) hooks_.viewed(view);
  if (owed_ != InterruptAction::none) stop(owed_ == InterruptAction::kill);
}

void Session::on_output(const OutputChunk& chunk) {
  if (!finished_) presenter_.output(chunk);
}

void Session::on_remark(const std::string& sentence) {
  if (!finished_) presenter_.remark(sentence);
}

void Session::on_end(const Status& status) {
  if (finished_) return;
  if (!status.ok()) {
    presenter_.end(job_);
    presenter_.remark(status.message());
    return finish(exit_code_of(status));
  }
  if (!job_.done && watching_events_) {
    if (auto now = client().describe(job_.id.text()); now.ok()) job_ = *now;
  }
  presenter_.end(job_);
  finish(job_code());
}

// If the job ended before the stop took effect, its own exit code counts. Only a cancelled job gives the signal's code.
int Session::job_code() const {
  if (!rules_.exit_as_job || !job_.done) return interrupts_.exit_code();
  if (job_.state == "cancelled" && interrupts_.exit_code() != 0) return interrupts_.exit_code();
  return rules_.propagate && job_.propagated_code != 0 ? job_.propagated_code : job_.exit_code;
}

void Session::signal(int number) {
  if (rules_.forward) stop_signal_ = number;
  if (number == SIGINT && !asked_) presenter_.interrupted();
  if (number == SIGINT) act(interrupts_.on(InterruptEvent::interrupt));
  if (number == SIGHUP) act(interrupts_.on(InterruptEvent::hangup));
  if (number != SIGINT && number != SIGHUP) act(interrupts_.on(InterruptEvent::terminate));
}

void Session::reader_left() {
  unread_ = rules_.mode != InterruptMode::look;
  act(interrupts_.on(InterruptEvent::hangup));
}

void Session::output_lost() {
  const bool looks = rules_.mode == InterruptMode::look || rules_.mode == InterruptMode::attach;
  if (!looks || finished_) return;
  presenter_.end(job_);
  finish(exit_unwritten);
}

void Session::key(char typed) {
  InterruptEvent picked{};
  if (interrupts_.asking() && pick_of_key(typed, picked)) act(interrupts_.on(picked));
}

void Session::act(InterruptAction action) {
  if (finished_ || action == InterruptAction::none) return;
  if (action == InterruptAction::ask) return ask();
  if (asked_) {
    asked_ = false;
    loop_.cancel(question_);
    hooks_.ask(false);
  }
  if (action == InterruptAction::detach) return detach();
  stop(action == InterruptAction::kill);
}

void Session::ask() {
  asked_ = true;
  hooks_.ask(true);
  question_ = loop_.at(loop_.now() + patience, [this] { act(interrupts_.on(InterruptEvent::timeout)); });
}

// If no controller answers, the request is sent again with the next view.
void Session::stop(bool kill) {
  owed_ = InterruptAction::none;
  const Status stopped = client().stop(job_.id.text(), kill ? SIGKILL : stop_signal_, Duration(-1));
  if (stopped.ok() || stopped.code() == Code::failed_precondition) return;
  if (stopped.code() == Code::unavailable) owed_ = kill ? InterruptAction::kill : InterruptAction::stop;
  presenter_.remark(stopped.message());
}

void Session::detach() {
  presenter_.end(job_);
  // `logs -f | head` needs no message. After Ctrl-C the user should know that the job continues.
  const bool worth_saying = rules_.mode != InterruptMode::look || interrupts_.exit_code() != 0;
  if (worth_saying && !job_.done) {
    presenter_.remark("continues.  muster attach " + asked_as(job_, rules_.style) + " · muster stop " +
                      asked_as(job_, rules_.style));
  }
  finish(unread_ && !job_.done ? exit_unread : interrupts_.exit_code());
}

void Session::finish(int exit_code) {
  if (finished_) return;
  finished_ = true;
  if (asked_) hooks_.ask(false);
  loop_.cancel(question_);
  hooks_.done(exit_code);
}

}  // namespace muster
