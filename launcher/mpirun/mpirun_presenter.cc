// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_presenter.h"

#include "core/client/view/status_lines.h"

namespace muster {
namespace {

OutputChoice choice_of(const MpirunOutput& output) {
  OutputChoice choice;
  choice.label = [&output](uint32_t index, OutputStream stream) -> std::optional<std::string> {
    if (!output.shown(stream)) return std::nullopt;
    return output.label(index, stream);
  };
  choice.all_to_stdout = output.shown(OutputStream::err) == OutputStream::out;
  return choice;
}

}  // namespace

MpirunPresenter::MpirunPresenter(Screen& screen, Loop& loop, MpirunOutput& output, MpirunConsole console)
    : screen_(screen),
      output_(output),
      console_(std::move(console)),
      printer_(screen, console_.out_style, console_.err_style, choice_of(output)),
      ranks_(screen, loop, console_.one_place, console_.one_stream) {}

void MpirunPresenter::view(const JobView& job) {
  name_ = job.name;
  printer_.set_ranks(job.ranks);
}

// The failure itself is shown in end(), with its evidence.
void MpirunPresenter::event(const JobEvent& event) {
  if (console_.quiet || is_final(event.state)) return;
  const bool told = event.kind == "remark" || event.kind == "judged";
  if (!told && !reports_delay(event) && !console_.verbose) return;
  if (event.sentence.find("restarting") != std::string::npos) printer_.end_attempts();
  say(event_line(name_, event, console_.err_style));
}

// True if lines without a label from several ranks or streams go to the same file. OutputPrinter handles terminals.
bool MpirunPresenter::whole_lines(OutputStream stream) const {
  const Style& style = output_.shown(stream) == OutputStream::out ? console_.out_style : console_.err_style;
  return (console_.ranks > 1 || console_.one_place) && !style.terminal && !output_.has_labels();
}

void MpirunPresenter::output(const OutputChunk& chunk) {
  ranks_.see(chunk.position.attempt);
  ranks_.keep_tail(chunk);
  output_.add(chunk);
  const auto shown = output_.shown(chunk.position.stream);
  if (!shown) return;
  if (!whole_lines(chunk.position.stream)) return printer_.print(chunk);
  ranks_.print(chunk.position.index, *shown, chunk.bytes);
}

void MpirunPresenter::remark(const std::string& sentence) {
  if (!console_.quiet) say(muster::remark(name_, sentence, console_.err_style));
}

void MpirunPresenter::say(const std::string& text) {
  if (text.empty()) return;
  ranks_.make_room();
  printer_.make_room();
  screen_.err(text);
}

std::string MpirunPresenter::report(const JobView& job) {
  FailureFacts facts;
  if (!job.attempts.empty() && job.attempts.back().culprit) {
    const uint32_t culprit = *job.attempts.back().culprit;
    ranks_.add_evidence(culprit, output_.shown(OutputStream::err).has_value(), facts);
    facts.log_file = output_.file_of(culprit, OutputStream::err);
  }
  return failure_report(job, facts, console_.err_style);
}

void MpirunPresenter::end(const JobView& job) {
  ranks_.release();
  printer_.flush();
  if (!output_.trouble().empty()) say(muster::remark(name_, output_.trouble(), console_.err_style));
  if (job.state == "failed") say(report(job));
  if (job.state == "cancelled") remark(job.sentence);
}

}  // namespace muster
