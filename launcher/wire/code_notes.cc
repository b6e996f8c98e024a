#include "launcher/wire/code_notes.h"

#include <unistd.h>

#include <array>

#include "launcher/run_program.h"
#include "launcher/submission/code_commit.h"

namespace muster {
namespace {

// The ranks of a usual job run by then: git would take their processors while they start.
constexpr Duration kBegun = std::chrono::milliseconds(50);
// A large tree on a slow disk; nobody waits.
constexpr Duration kPatience = std::chrono::minutes(1);
// It names the commit first and then each changed file, of which one is enough.
constexpr size_t kMostAnswer = 1 << 16;

}  // namespace

struct CodeNotes::Question {
  std::string folder;
  std::map<std::string, std::string> environment;
  TimerId timer = 0;  // until it is asked, and then of its patience
  UniqueFd stream;
  std::string answer;
  std::unique_ptr<LoopWatch> speaks;
  std::unique_ptr<HelperProcess> git;
};

CodeNotes::CodeNotes(FdLoop& loop, Handlers handlers) : loop_(loop), handlers_(std::move(handlers)) {}

CodeNotes::~CodeNotes() {
  for (const auto& [job, question] : questions_) loop_.cancel(question->timer);
}

void CodeNotes::ask(const JobId& job, const std::string& folder,
                    const std::map<std::string, std::string>& environment) {
  if (!in_repository(folder)) return;
  auto question = std::make_unique<Question>();
  question->folder = folder;
  question->environment = environment;
  question->timer = loop_.at(loop_.now() + kBegun, [this, job] { begin(job); });
  questions_[job] = std::move(question);
}

void CodeNotes::begin(const JobId& job) {
  Question& question = *questions_.at(job);
  std::vector<std::string> words = commit_question(question.folder);
  const auto path = question.environment.find("PATH");
  const std::string git =
      find_program(words[0], path == question.environment.end() ? "" : path->second, question.folder);
  if (git.empty() || !handlers_.unknown(job)) return forget(job);
  words.erase(words.begin());
  const HelperCommand command{git, std::move(words), std::move(question.environment), true, 10};
  auto started = HelperProcess::start(loop_, command, [this, job](const HelperEnd& end) { over(job, end.code); });
  if (!started.ok()) return forget(job);
  question.git = std::move(*started);
  question.stream = question.git->take_stream();
  question.speaks = loop_.watch_readable(question.stream.get(), [this, job] { hear(job); });
  question.timer = loop_.at(loop_.now() + kPatience, [this, job] { forget(job); });
}

void CodeNotes::hear(const JobId& job) {
  Question& question = *questions_.at(job);
  std::array<char, 4096> buffer{};
  ssize_t length = 0;
  while ((length = read(question.stream.get(), buffer.data(), buffer.size())) > 0) {
    if (question.answer.size() < kMostAnswer) question.answer.append(buffer.data(), static_cast<size_t>(length));
  }
  if (length == 0) question.speaks.reset();
}

void CodeNotes::over(const JobId& job, int code) {
  hear(job);
  const std::string commit = code == 0 ? commit_in(questions_.at(job)->answer) : "";
  if (!commit.empty()) handlers_.note(job, commit);
  forget(job);
}

void CodeNotes::forget(const JobId& job) {
  const auto found = questions_.find(job);
  loop_.cancel(found->second->timer);
  // In a turn of its own: we may be in a handler of what goes.
  loop_.post([gone = std::shared_ptr<Question>(std::move(found->second))] {});
  questions_.erase(found);
}

}  // namespace muster
