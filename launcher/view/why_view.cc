// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/why_view.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/text.h"
#include "core/client/view/attempts_view.h"
#include "core/client/view/json.h"
#include "core/client/view/status_lines.h"
#include "core/job/json_text.h"
#include "launcher/view/advice.h"
#include "launcher/view/describe_view.h"
#include "launcher/view/hang_view.h"

namespace muster {
namespace {

constexpr size_t most_attempts_shown = 12;
constexpr size_t most_consequences = 4;

std::string with_full_stop(std::string sentence) {
  if (!sentence.empty() && sentence.back() != '.') sentence += '.';
  return sentence;
}

// Capitalises only muster's own words, because names keep their spelling.
std::string capitalised(std::string sentence) {
  static constexpr std::array<std::string_view, 10> ours{"rank",   "no",     "it",       "the",      "failed",
                                                         "cannot", "queued", "starting", "stopping", "cancelled"};
  const std::string first = sentence.substr(0, sentence.find_first_of(" :"));
  const bool our_word = std::find(ours.begin(), ours.end(), first) != ours.end();
  if (our_word) sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  return sentence;
}

// "… do not match at train.py:41" → "… do not match, at train.py:41".
std::string with_place_apart(std::string sentence) {
  const size_t at = sentence.rfind(" at ");
  const size_t colon = sentence.rfind(':');
  const bool found = at != std::string::npos && colon != std::string::npos && colon > at;
  const bool place = found && colon + 1 < sentence.size() && sentence.find(' ', at + 4) == std::string::npos &&
                     sentence.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return place ? sentence.insert(at, ",") : sentence;
}

bool same_failure(const std::vector<const AttemptView*>& attempts) {
  return std::all_of(attempts.begin(), attempts.end(),
                     [&](const AttemptView* attempt) { return attempt->cause == attempts.front()->cause; });
}

// The job's state after the failure, as a sentence. Empty: the job has not succeeded.
std::string outcome_after(const JobView& job, const AttemptView& failure) {
  if (job.state == "succeeded") return " The job then succeeded.";
  if (job.done) return "";
  if (!job.waits_for.empty()) return " The job waits for " + with_full_stop(escaped(job.waits_for));
  if (!by_group(job)) return " The job is " + job.state + " again, attempt " + std::to_string(job.attempt) + ".";
  const AttemptView& newest = *newest_attempt_of(job, failure.group);
  if (newest.running == TimePoint() || &newest == &failure) return " Group " + failure.group + " is restarting.";
  return " Group " + failure.group + " is running again, attempt " + std::to_string(newest.attempt) + ".";
}

// Whether some ranks do not run yet.
bool is_starting(const JobView& job) {
  return std::any_of(job.attempts.begin(), job.attempts.end(), [](const AttemptView& attempt) {
    return attempt.running == TimePoint() && end_of(attempt) == TimePoint();
  });
}

std::string without_failure(const JobView& job) {
  if (!job.waits_for.empty()) return with_full_stop(job.name + " waits for " + job.waits_for);
  if (job.state == "succeeded" && !losses_of(job).empty()) return job.name + " succeeded, but something was lost.";
  if (job.state == "succeeded") return job.name + " succeeded; nothing failed.";
  if (job.state == "running" && !is_starting(job))
    return job.name + (exception_sentences(job).empty() ? " is running; nothing has failed so far." : " is running.");
  return with_full_stop(job.sentence.empty() ? job.name + " is " + job.state : capitalised(job.sentence));
}

// The end of the job's last sentence, after the failure: the rule or crash loop that prevented a restart.
std::string why_no_restart(const JobView& job, const AttemptView& failure) {
  const size_t at = job.state == "failed" ? job.sentence.find(failure.cause) : std::string::npos;
  if (at == std::string::npos) return "";
  const std::string rest = job.sentence.substr(at + failure.cause.size());
  return escaped(rest.substr(0, rest.rfind(", in attempt ")));
}

std::string first_sentence(const JobView& job, const AttemptView* failure) {
  if (failure == nullptr) return escaped(without_failure(job));
  std::string text = with_place_apart(capitalised(escaped(failure->cause)));
  const std::vector<const AttemptView*> attempts = attempts_of(job, failure->group);
  const bool only = attempts.size() == 1;
  const std::string no_restart = why_no_restart(job, *failure);
  text += no_restart;
  if (!only && no_restart.empty() && same_failure(attempts))
    text += ", in each of " + count_of(attempts.size(), "attempt");
  text = with_full_stop(text);
  const std::string lasted = lifetime_of(*failure);
  if (only && lasted != or_dash("")) text += " The attempt lasted " + lasted + ".";
  return text + outcome_after(job, *failure);
}

std::string troubles(const JobView& job) {
  std::string text;
  for (const std::string& said : exception_sentences(job)) text += capitalised(with_full_stop(escaped(said))) + "\n";
  for (const std::string& loss : losses_of(job)) text += "Lost: " + with_full_stop(escaped(loss)) + "\n";
  for (const std::string& remark : remarks_of(job)) text += "Note: " + with_full_stop(escaped(remark)) + "\n";
  return text;
}

std::string consequences(const AttemptView& failure) {
  std::string text;
  for (size_t i = 0; i < std::min(failure.consequences.size(), most_consequences); ++i) {
    text += capitalised(with_full_stop(escaped(failure.consequences[i]))) + "\n";
  }
  if (failure.consequences.size() > most_consequences) {
    text += "And " + std::to_string(failure.consequences.size() - most_consequences) + " more consequences.\n";
  }
  return text;
}

// Empty for a single attempt, which the sentences above describe. Failures are left out if all are the same.
std::string attempts_of_job(const JobView& job, const Style& style) {
  if (!was_restarted(job)) return "";
  std::vector<Row> rows{
      {{"attempt", Colour::dim}, {"group", Colour::dim}, {"after", Colour::dim}, {"recovered in", Colour::dim}}};
  const bool same = !by_group(job) && same_failure(attempts_of(job, ""));
  if (!same) rows[0].push_back({"first failure", Colour::dim});
  const size_t first = job.attempts.size() - std::min(job.attempts.size(), most_attempts_shown);
  for (size_t i = first; i < job.attempts.size(); ++i) {
    const AttemptView& attempt = job.attempts[i];
    rows.push_back(
        {{std::to_string(attempt.attempt)}, {attempt.group}, {lifetime_of(attempt)}, {recovery_after(job, attempt)}});
    if (!same) rows.back().push_back({escaped(failure_of(job, attempt))});
  }
  if (!by_group(job)) drop_column(rows, 1);
  const std::string text = "\n" + table(rows, style, 2);
  if (first == 0) return text;
  return text + "  " + std::to_string(first) + " earlier attempts: muster describe " + asked_as(job, style) +
         " -o json\n";
}

std::string evidence(const JobView& job, const AttemptView& failure, const Style& style) {
  return "muster logs " + asked_as(job, style) + rank_flag(job, failure.culprit) + " --attempt " +
         std::to_string(failure.attempt) + " -n 40";
}

std::string no_evidence(const JobView& job, const AttemptView& failure) {
  const auto rank = std::find_if(job.ranks.begin(), job.ranks.end(),
                                 [&](const RankView& r) { return failure.culprit && r.index == *failure.culprit; });
  return "none: " + (rank == job.ranks.end() ? "no rank printed anything" : escaped(rank->name) + " printed nothing");
}

}  // namespace

std::string stack_lines(const std::string& stack) {
  std::string text;
  for (const std::string& line : split(stack, '\n')) text += line.empty() ? "" : "  " + escaped(line) + "\n";
  return text;
}

// The stack of a rank that hung, the traceback of an exception, or the core file of a crash.
std::string failure_location(const AttemptView& failure) {
  const ExitStatus& exit = failure.culprit_exit;
  std::string text = stack_lines(failure.stack.empty() ? exit.trace : failure.stack);
  if (!exit.core_file.empty()) {
    const bool command = exit.core_file.find(' ') != std::string::npos && exit.core_file[0] != '/';
    text += "Core file:  " + (command ? "" : std::string("gdb -c ")) + escaped(exit.core_file) + "\n";
  }
  return text;
}

// The findings about a hang of a running job, with the stack and advice.
std::string hangs(const JobView& job, const Style& style) {
  std::string text;
  for (const std::string& sentence : hang_sentences(job)) text += capitalised(with_full_stop(escaped(sentence))) + "\n";
  if (text.empty()) return "";
  text += stack_lines(job.hang_stack) + location_view(job);
  const std::string hint = hang_advice(job, style);
  if (!hint.empty()) text += paint(style, Colour::bold, "try:") + "       " + hint + "\n";
  return text;
}

std::string why_json(const JobView& job, const Style& style) {
  const AttemptView* failure = last_failure(job);
  const std::vector<std::string> hanging = hang_sentences(job);
  std::vector<std::string> answer;
  const auto add = [&](const char* name, const std::string& json) { answer.push_back(json_quoted(name) + ":" + json); };
  const auto add_text = [&](const char* name, const std::string& text) {
    if (!text.empty()) add(name, json_quoted(text));
  };
  const bool hangs_only = failure == nullptr && !hanging.empty();
  add_text("sentence", hangs_only ? with_full_stop(capitalised(hanging.front())) : first_sentence(job, failure));
  std::vector<std::string> notes = exception_sentences(job);
  for (const std::string& loss : losses_of(job)) notes.push_back(loss);
  for (const std::string& remark : remarks_of(job)) notes.push_back(remark);
  if (!notes.empty()) add("notes", json_list(notes));
  if (failure != nullptr && !failure->consequences.empty()) add("consequences", json_list(failure->consequences));
  if (failure != nullptr) add_text("evidence", evidence(job, *failure, Style{.place = style.place}));
  add_text("try", hangs_only ? hang_advice(job, style) : failure == nullptr ? "" : advice(job));
  return with_member(job_json(job, style.now), "why", "{" + join(answer, ",") + "}");
}

std::string why_view(const JobView& job, const Style& style, bool silent) {
  const AttemptView* failure = last_failure(job);
  const std::string hanging = hangs(job, style);
  if (failure == nullptr && !hanging.empty()) return hanging + troubles(job);
  std::string text = hanging + first_sentence(job, failure) + "\n" + troubles(job);
  const std::string places = hanging.empty() ? location_view(job) : "";
  if (failure == nullptr) return text + places;
  text += failure_location(*failure) + consequences(*failure) + attempts_of_job(job, style);
  text += paint(style, Colour::bold, "evidence:") + "  " +
          (silent ? no_evidence(job, *failure) : evidence(job, *failure, style)) + "\n";
  const std::string hint = advice(job);
  if (!hint.empty()) text += paint(style, Colour::bold, "try:") + "       " + hint + "\n";
  return text + places;
}

}  // namespace muster
