// muster diff: two jobs, or a job and its file, key by key as they count after all defaults.
#include "core/client/submission/effective.h"

#include <filesystem>

#include "core/client/submission/code_commit.h"
#include "launcher/cli/draft_report.h"
#include "launcher/cli/output_format.h"
#include "launcher/composition/draft_backends.h"
#include "launcher/follow/following.h"
#include "launcher/view/diff_view.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// As diff(1), but for differences that could not be shown.
enum DiffCode : int { same = 0, differ = 1, trouble = 2 };

int trouble_with(CommandContext& context, const Status& status) {
  fail(context, status);
  return trouble;
}

bool is_file(const CommandContext& context, const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".yaml") || word.ends_with(".yml") ||
         fs::is_regular_file(fs::path(context.caller.workdir) / word, ignored);
}

// Nothing: what is wrong with the file was told.
std::optional<DiffSide> side_of_file(CommandContext& context, const std::string& file) {
  const auto draft = draft_job({.files = {file}}, context.caller, draft_backends());
  if (!draft.ok() || has_errors(draft->diagnostics)) {
    draft.ok() ? context.screen.err(draft_text(context, *draft, false)) : void(fail(context, draft.status()));
    return std::nullopt;
  }
  DiffSide side{.title = file, .values = effective_values(draft->spec)};
  if (!draft->places.contains("name")) side.values.erase("name");
  side.values["code"] = CodeCommit(draft->spec.workdir, context.caller.environment).text();
  return side;
}

DiffSide side_of_job(const JobView& job) {
  DiffSide side{.title = job.name, .values = effective_values(job.spec_json), .origin = job.origin};
  side.values["code"] = job.code_commit;
  return side;
}

// The controller is asked only for what is no file.
std::optional<DiffSide> side_of(CommandContext& context, std::unique_ptr<Connection>& connection,
                                const std::string& word) {
  if (is_file(context, word)) return side_of_file(context, word);
  if (connection == nullptr) {
    auto opened = Connection::open(context, true);
    if (!opened.ok()) return trouble_with(context, opened.status()), std::nullopt;
    connection = std::move(*opened);
  }
  const auto job = connection->client()->describe(word);
  if (!job.ok()) return trouble_with(context, job.status()), std::nullopt;
  return side_of_job(*job);
}

int compare(CommandContext& context, const std::vector<std::string>& words, const std::string& format) {
  std::unique_ptr<Connection> connection;
  auto left = side_of(context, connection, words.front());
  if (!left) return trouble;
  const std::string other = words.size() > 1 ? words[1] : left->origin;
  if (other.empty() || other == "standard input")
    return trouble_with(context, {Code::failed_precondition,
                                  left->title + " came from no file; name what to compare it with: muster diff " +
                                      left->title + " job.yaml"});
  auto right = side_of(context, connection, other);
  if (!right) return trouble;
  // What differs between any two jobs, and what a file leaves open, is no difference.
  const bool two_jobs = !is_file(context, words.front()) && !is_file(context, other);
  if (two_jobs || !left->values.contains("name") || !right->values.contains("name")) {
    left->values.erase("name");
    right->values.erase("name");
  }
  const std::vector<Difference> found = differences(*left, *right);
  if (is_document(format)) {
    print_document(context.screen, format, diff_json(*left, *right, found));
  } else if (format == "name") {
    for (const Difference& each : found) context.screen.out(each.key + "\n");
  } else {
    context.screen.out(diff_text(*left, *right, found, context.out_style()));
  }
  if (context.screen.failed()) return exit_unwritten;
  return found.empty() ? same : differ;
}

}  // namespace

int diff_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  std::string format = "text";
  CommandLine line(
      "diff JOB|FILE [JOB|FILE] [flags]",
      "Compares two jobs or job files after all defaults; a job alone with its own file as it is now. Exits "
      "with 0 where nothing differs, 1 where something does, 2 on trouble.",
      "muster diff train-7f2 train-9a0\nmuster diff @last");
  line.words("a job or a job file", 1, 2, words);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return compare(context, words, format);
}

}  // namespace muster
