// SPDX-License-Identifier: Apache-2.0
// muster diff: compares two jobs, or a job and its file, key by key after all defaults.
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

// Exit codes as of diff(1). If the output cannot be written, the code is exit_unwritten.
enum DiffCode : int { same = 0, differ = 1, failed = 2 };

int fail_with_two(CommandContext& context, const Status& status) {
  fail(context, status);
  return failed;
}

bool is_file(const CommandContext& context, const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".yaml") || word.ends_with(".yml") ||
         fs::is_regular_file(fs::path(context.caller.workdir) / word, ignored);
}

// nullopt: the file has errors, which have been printed.
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

// Connects to the controller only if `word` is not a file.
std::optional<DiffSide> side_of(CommandContext& context, std::unique_ptr<Connection>& connection,
                                const std::string& word) {
  if (is_file(context, word)) return side_of_file(context, word);
  if (connection == nullptr) {
    auto opened = Connection::open(context, true);
    if (!opened.ok()) return fail_with_two(context, opened.status()), std::nullopt;
    connection = std::move(*opened);
  }
  const auto job = connection->client()->describe(word);
  if (!job.ok()) return fail_with_two(context, job.status()), std::nullopt;
  return side_of_job(*job);
}

int compare(CommandContext& context, const std::vector<std::string>& words, const std::string& format) {
  std::unique_ptr<Connection> connection;
  auto left = side_of(context, connection, words.front());
  if (!left) return failed;
  const std::string other = words.size() > 1 ? words[1] : left->origin;
  if (other.empty() || other == "standard input")
    return fail_with_two(context,
                         {Code::failed_precondition,
                          left->title + " was not started from a job file; name what to compare it with: muster diff " +
                              left->title + " job.yaml"});
  auto right = side_of(context, connection, other);
  if (!right) return failed;
  // Names are ignored if two jobs are compared, or if a file sets no name.
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
  CommandLine line("diff JOB|FILE [JOB|FILE] [flags]", "Compares two jobs or job files, after all defaults.",
                   "muster diff train-7f2 train-9a0\nmuster diff @last");
  line.words("a job or a job file", 1, 2, words)
      .note(
          "If you name one job, it is compared with its job file as the file is now.\n\nExit codes: 0 if there is no "
          "difference, 1 if there are differences, 2 for an error.");
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return compare(context, words, format);
}

}  // namespace muster
