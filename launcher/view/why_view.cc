#include "launcher/view/why_view.h"

#include <algorithm>

#include "core/base/text.h"
#include "launcher/view/advice.h"
#include "launcher/view/describe_view.h"

namespace muster {
namespace {

constexpr size_t most_attempt_lines = 12;
constexpr size_t most_consequences = 4;

std::string with_full_stop(std::string sentence) {
  if (!sentence.empty() && sentence.back() != '.') sentence += '.';
  return sentence;
}

std::string capitalised(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z')
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  return sentence;
}

bool same_failure(const JobView& job) {
  return std::all_of(job.attempts.begin(), job.attempts.end(),
                     [&](const AttemptView& attempt) { return attempt.cause == job.attempts.front().cause; });
}

const AttemptView* last_failure(const JobView& job) {
  const auto found = std::find_if(job.attempts.rbegin(), job.attempts.rend(),
                                  [](const AttemptView& attempt) { return !attempt.cause.empty(); });
  return found == job.attempts.rend() ? nullptr : &*found;
}

std::string without_failure(const JobView& job) {
  if (!job.waits_for.empty()) return with_full_stop(job.name + " waits for " + job.waits_for);
  if (job.state == "succeeded") return job.name + " succeeded; nothing failed on the way.";
  if (job.state == "running") return job.name + " runs; nothing has failed so far.";
  return with_full_stop(job.sentence.empty() ? job.name + " is " + job.state : capitalised(job.sentence));
}

std::string first_sentence(const JobView& job, const AttemptView* failure) {
  if (failure == nullptr) return escaped(without_failure(job));
  std::string text = capitalised(escaped(failure->cause));
  if (job.attempts.size() > 1 && same_failure(job))
    text += ", in each of " + count_of(job.attempts.size(), "attempt");
  text = with_full_stop(text);
  if (!job.done)
    text += " " + capitalised(with_full_stop(job.name + " is " + job.state + " again, attempt " +
                                             std::to_string(job.attempt)));
  if (job.state == "succeeded") text += " " + capitalised(job.name) + " succeeded all the same.";
  return text;
}

std::string consequences(const AttemptView& failure) {
  std::string text;
  for (size_t i = 0; i < std::min(failure.consequences.size(), most_consequences); ++i) {
    text += capitalised(with_full_stop(escaped(failure.consequences[i]))) + "\n";
  }
  if (failure.consequences.size() > most_consequences) {
    text += "And " + std::to_string(failure.consequences.size() - most_consequences) + " more because of it.\n";
  }
  return text;
}

std::string attempts_table(const JobView& job, const Style& style) {
  std::vector<Row> rows{{{"attempt", Colour::dim},
                         {"first failure", Colour::dim},
                         {"after", Colour::dim},
                         {"recovered in", Colour::dim}}};
  const size_t first = job.attempts.size() - std::min(job.attempts.size(), most_attempt_lines);
  for (size_t i = first; i < job.attempts.size(); ++i) {
    const AttemptView& attempt = job.attempts[i];
    rows.push_back({{std::to_string(attempt.attempt)},
                    {cut(escaped(failure_of(job, attempt)), 70)},
                    {lifetime_of(attempt)},
                    {recovery_after(job, i)}});
  }
  std::string text = "\n" + table(rows, style, 2);
  return first == 0 ? text
                    : text + "  " + std::to_string(first) + " earlier: muster describe " + job.name + " -o json\n";
}

std::string evidence(const JobView& job, const AttemptView& failure) {
  std::string command = "muster logs " + job.name;
  const auto rank = std::find_if(job.ranks.begin(), job.ranks.end(), [&](const RankView& r) {
    return failure.culprit && r.index == *failure.culprit;
  });
  if (rank != job.ranks.end()) command += " --rank " + std::to_string(rank->rank);
  return command + " --attempt " + std::to_string(failure.attempt) + " -n 40";
}

}  // namespace

std::string why_view(const JobView& job, const Style& style) {
  const AttemptView* failure = last_failure(job);
  std::string text = first_sentence(job, failure) + "\n";
  if (failure == nullptr) return text;
  text += consequences(*failure) + attempts_table(job, style);
  text += paint(style, Colour::bold, "evidence:") + "  " + evidence(job, *failure) + "\n";
  const std::string hint = advice(job);
  if (!hint.empty()) text += paint(style, Colour::bold, "try:") + "       " + hint + "\n";
  return text;
}

}  // namespace muster
