// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/torchrun_presenter.h"

#include "core/client/view/status_lines.h"

namespace muster {
namespace {

OutputChoice choice_of(const OutputRules& rules) {
  OutputChoice choice;
  choice.label = [&rules](uint32_t index, OutputStream stream) { return rules.label(index, stream); };
  return choice;
}

}  // namespace

TorchrunPresenter::TorchrunPresenter(Screen& screen, Loop& loop, TorchrunConsole console)
    : screen_(screen),
      console_(std::move(console)),
      printer_(screen, console_.out_style, console_.err_style, choice_of(console_.rules)),
      ranks_(screen, loop, console_.one_place, console_.one_stream) {}

void TorchrunPresenter::view(const JobView& job) {
  name_ = job.name;
  printer_.set_ranks(job.ranks);
  console_.logs.begin(job.attempt);
  if (job.state == "running") static_cast<void>(console_.first(job.attempt));
}

// Shows restarts and waits for hosts. The failure itself is shown in end(), with its evidence.
void TorchrunPresenter::event(const JobEvent& event) {
  if (event.attempt < console_.since) return;
  const bool goes_on = reports_delay(event);
  const bool told = event.kind == "remark" || event.kind == "judged";
  if (!told && !goes_on) return;
  if (goes_on && event.sentence.find("restarting") != std::string::npos) printer_.end_attempts();
  say(event_line(name_, event, console_.err_style));
}

// True if lines without a prefix from several ranks or streams go to the same file. OutputPrinter handles terminals.
bool TorchrunPresenter::whole_lines(const OutputPosition& at) const {
  const Style& style = at.stream == OutputStream::out ? console_.out_style : console_.err_style;
  return (console_.ranks > 1 || console_.one_place) && !style.terminal &&
         console_.rules.label(at.index, at.stream) == "";
}

void TorchrunPresenter::output(const OutputChunk& printed) {
  OutputChunk chunk = printed;
  chunk.position.index -= console_.first(chunk.position.attempt);
  ranks_.see(chunk.position.attempt);
  ranks_.keep_tail(chunk);
  console_.logs.add(chunk);
  console_.copies.add(chunk);
  if (!whole_lines(chunk.position)) return printer_.print(chunk);
  ranks_.print(chunk.position.index, chunk.position.stream, chunk.bytes);
}

void TorchrunPresenter::remark(const std::string& sentence) {
  say(muster::remark(name_, sentence, console_.err_style));
}

void TorchrunPresenter::say(const std::string& text) {
  if (text.empty()) return;
  ranks_.make_room();
  printer_.make_room();
  screen_.err(text);
}

std::string TorchrunPresenter::report(const JobView& job) {
  FailureFacts facts = console_.facts(job);
  const bool known = !job.attempts.empty() && job.attempts.back().culprit;
  if (known) {
    const uint32_t culprit = *job.attempts.back().culprit - console_.first(job.attempts.back().attempt);
    ranks_.add_evidence(culprit, console_.rules.label(culprit, OutputStream::err).has_value(), facts);
  }
  return failure_report(job, facts, console_.err_style);
}

void TorchrunPresenter::end(const JobView& job) {
  ranks_.release();
  printer_.flush();
  console_.copies.finish();
  if (!console_.logs.trouble().empty()) remark(console_.logs.trouble());
  if (job.state == "failed") say(report(job));
  if (job.state == "cancelled") remark(job.sentence);
}

}  // namespace muster
