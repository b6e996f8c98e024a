// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/session.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <utility>

#include "core/client/exit_code.h"
#include "core/client/view/status_lines.h"

namespace muster {

Session::Session(Loop& loop, std::shared_ptr<JobClient> client, Follower::Connect connect, NearFiles* files,
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

void Session::hold(bool held) {
  held_ = held;
  follower_.hold(held_ || asked_);
}

// Few items wait here: the follower is held.
void Session::show(std::function<void()> item) {
  if (finished_) return;
  if (!asked_) return item();
  waiting_.push_back(std::move(item));
}

void Session::on_event(const JobEvent& event) {
  show([this, event] { presenter_.event(event); });
}

void Session::on_view(const JobView& view) {
  if (finished_) return;
  job_ = view;
  show([this, view] { presenter_.view(view); });
  if (hooks_.viewed) hooks_.viewed(view);
  if (owed_ != InterruptAction::none) stop(owed_ == InterruptAction::kill);
}

// Without a question the chunk is not copied.
void Session::on_output(const OutputChunk& chunk) {
  if (asked_) return show([this, chunk] { presenter_.output(chunk); });
  if (!finished_) presenter_.output(chunk);
}

void Session::on_remark(const std::string& sentence) {
  show([this, sentence] { presenter_.remark(sentence); });
}

void Session::on_end(const Status& status) {
  if (finished_) return;
  if (asked_) end_question();
  if (!status.ok()) {
    presenter_.end(job_);
    presenter_.remark(status.message());
    return finish(exit_code_of(status));
  }
  if (!job_.done && watching_events_) look_again();
  presenter_.end(job_);
  finish(job_code());
}

// If the job ended before the stop took effect, its own exit code counts. Only a cancelled job gives the signal's code.
int Session::job_code() const {
  if (!rules_.exit_as_job || !job_.done) return interrupts_.exit_code();
  if (job_.state == "cancelled" && interrupts_.exit_code() != 0) return interrupts_.exit_code();
  return rules_.propagate && job_.propagated_code != 0 ? job_.propagated_code : job_.exit_code;
}

// A Ctrl-C is an answer only to a question that the user can see.
void Session::signal(int number) {
  const bool unseen = asked_ && hooks_.question_is_seen && !hooks_.question_is_seen();
  if (number == SIGINT && unseen) return;
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
  if (interrupts_.asking() && pick_of_key(typed, picked)) answer(picked);
}

void Session::act(InterruptAction action) {
  if (finished_ || action == InterruptAction::none) return;
  if (action == InterruptAction::ask) return ask();
  const bool asked = asked_;
  if (asked_) end_question();
  if (action == InterruptAction::detach) {
    if (asked) look_again();
    return detach();
  }
  stop(action == InterruptAction::kill);
}

// If the job has ended meanwhile, there is nothing to choose: the rest of its output is shown.
void Session::answer(InterruptEvent event) {
  if (!job_.done) look_again();
  if (job_.done) return end_question();
  act(interrupts_.on(event));
}

void Session::look_again() {
  if (auto now = client().describe(job_.id.text()); now.ok()) job_ = *now;
}

void Session::end_question() {
  asked_ = false;
  loop_.cancel(question_);
  look_.reset();
  hooks_.ask(false);
  for (const auto& item : std::exchange(waiting_, {})) item();
  follower_.hold(held_);
}

void Session::ask() {
  asked_ = true;
  follower_.hold(true);
  hooks_.ask(true);
  answer_at(loop_.now() + patience);
  watch_for_end();
}

void Session::answer_at(TimePoint time) {
  loop_.cancel(question_);
  question_ = loop_.at(time, [this] { answer(InterruptEvent::timeout); });
}

// While items are held, only a stream of its own tells that the job has ended. Unlike describe(), it does not block, so
// the countdown goes on. It is closed in a later turn of the loop: not in its own handler.
void Session::watch_for_end() {
  constexpr uint64_t kNoEvents = std::numeric_limits<uint64_t>::max();
  const auto look = [this](const FollowItem& item) {
    const auto* view = std::get_if<JobView>(&item.item);
    if (view == nullptr || !view->done) return;
    job_ = *view;
    answer_at(loop_.now());
  };
  look_ = client().follow({.job = job_.id.text(), .events = true, .from_event = kNoEvents}, look, [](const Status&) {});
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
  if (job_.done && interrupts_.exit_code() != 0) return finish(job_code());
  finish(unread_ && !job_.done ? exit_unread : interrupts_.exit_code());
}

void Session::finish(int exit_code) {
  if (finished_) return;
  finished_ = true;
  if (asked_) hooks_.ask(false);
  loop_.cancel(question_);
  look_.reset();
  hooks_.done(exit_code);
}

}  // namespace muster
