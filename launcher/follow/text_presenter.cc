// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/client/follow/presenter.h"
#include "core/client/view/status_lines.h"
#include "launcher/follow/text_presenter.h"
#include "launcher/view/progress_view.h"

namespace muster {

TextPresenter::TextPresenter(Screen& screen, Style out_style, Style err_style, TextChoice choice)
    : screen_(screen),
      style_(err_style),
      choice_(choice),
      printer_(screen, out_style, err_style, choice.output) {}

void TextPresenter::introduce(const JobView& job) {
  name_ = job.name;
  printer_.set_ranks(job.ranks);
}

// A view without ranks means that the job waits; it says for what. With ranks, the plan is fixed.
void TextPresenter::view(const JobView& job) {
  introduce(job);
  if (!choice_.events) return;
  if (!started_ && !job.ranks.empty()) {
    started_ = true;
    say(start_line(job, choice_.start_note, style_));
  }
  show_progress(job);
  if (job.waits_for == waits_for_) return;
  waits_for_ = job.waits_for;
  if (!waits_for_.empty() && !waits_for_output(job)) remark("waits for " + escaped(waits_for_));
}

void TextPresenter::event(const JobEvent& event) {
  // With events, the job's own note reports dropped output.
  const bool gap = event.kind == "output-dropped" && !choice_.events;
  if (!gap && !(choice_.events && worth_telling(event))) return;
  if (event.sentence.find("restarting") != std::string::npos) printer_.end_attempts();
  say(event_line(name_, event, style_));
}

// Shows the progress and the history of the first metric on the last line of the terminal, while the job runs.
void TextPresenter::show_progress(const JobView& job) {
  constexpr size_t kMostValues = 64;
  if (!question_.empty()) return;
  if (!job.progress || job.state != "running") return printer_.set_foot("");
  const std::map<std::string, double>& metrics = job.progress->progress.metrics;
  if (!metrics.empty()) history_.push_back(metrics.begin()->second);
  if (history_.size() > kMostValues) history_.erase(history_.begin());
  printer_.set_foot(progress_line(*job.progress, history_, style_));
}

// The follower reports a takeover itself, so this event is not shown.
constexpr std::string_view taken_over = "a new controller took the job over";

// Not shown: submission and the first start (the start line shows them), the end (end() shows it), and stops by muster that end at once.
// A stop by the user is shown.
bool TextPresenter::worth_telling(const JobEvent& event) const {
  if (event.time < choice_.events_after || is_final(event.state) || event.kind == "submitted") return false;
  if (event.kind == "remark" && event.sentence == taken_over) return false;
  if (event.attempt <= 1 && event.sentence.starts_with("running: ")) return false;
  return event.kind == "stop" || !event.sentence.starts_with("stopping: ");
}

void TextPresenter::ask(const std::string& question) {
  question_ = question;
  // If stderr is not a terminal, the question is printed like any other message.
  if (!style_.terminal && !question.empty()) return screen_.err(question + "\n");
  if (!question.empty()) printer_.make_room();  // the terminal's own ^C keeps its line
  printer_.set_foot(question);
}

// Without events, a line between the output of two attempts shows the restart.
void TextPresenter::output(const OutputChunk& chunk) {
  const Attempt before = std::exchange(attempt_, std::max(attempt_, chunk.position.attempt));
  if (!choice_.events && before != 0 && before < attempt_) remark("attempt " + std::to_string(attempt_));
  printer_.print(chunk);
}

void TextPresenter::remark(const std::string& sentence) { say(muster::remark(name_, sentence, style_)); }

void TextPresenter::end(const JobView& job) {
  printer_.set_foot("");
  printer_.flush();
  if (choice_.events && job.done) say(end_lines(job, style_));
}

void TextPresenter::say(const std::string& text) {
  if (text.empty()) return;
  printer_.make_room();
  screen_.err(text);
  printer_.draw_foot();
}

}  // namespace muster
