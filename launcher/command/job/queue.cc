// SPDX-License-Identifier: Apache-2.0
// muster hold, release and move: change the queue. Repeating a command is harmless.
#include <nlohmann/json.hpp>

#include "core/client/view/json.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/output_format.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

using Act = ArrangeRequest::Act;

constexpr size_t most_jobs_to_arrange = 1000;
constexpr int32_t highest_priority = 100;

// The result, from the state of the job now.
std::string outcome(const JobView& job) {
  if (job.state != "queued") return "is starting";
  if (!job.held_by.empty()) return "is held; to let it start: muster release " + job.name;
  const std::string place = job.queue_place == 1 ? "is first" : "has position " + std::to_string(job.queue_place);
  const std::string priority = job.priority == 0 ? "" : ", with priority " + std::to_string(job.priority);
  return place + " in the queue" + priority + (job.waits_for.empty() ? "" : "; it waits for " + job.waits_for);
}

// Replaces names by ids, so that a new job with the same name is not meant.
Result<JobView> arrange_one(CommandContext& context, Connection& connection, ArrangeRequest request) {
  for (std::string* word : {&request.job, &request.other}) {
    if (word->empty()) continue;
    const auto job = connection.client()->describe(*word);
    if (!job.ok()) return job.status();
    *word = job->id.text();
  }
  request.by = context.caller.user;
  return connection.controller()->arrange(request);
}

void tell(CommandContext& context, const JobView& job, const std::string& format) {
  if (format == "name") return context.screen.out(job.name + "\n");
  if (!is_document(format)) context.screen.err(remark(job.name, outcome(job), context.err_style()));
}

// Bytes that are not UTF-8 become U+FFFD.
std::string text_of(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Handles each job by itself. Returns the exit code of the first error.
int arrange_all(CommandContext& context, const std::vector<std::string>& jobs, ArrangeRequest request,
                const std::string& format) {
  const auto connection = Connection::open(context, true);
  if (!connection.ok()) return fail(context, connection.status());
  int exit_code = exit_ok;
  std::vector<JobView> arranged;
  nlohmann::ordered_json errors = nlohmann::ordered_json::array();
  for (const std::string& word : jobs) {
    request.job = word;
    auto job = arrange_one(context, **connection, request);
    if (job.ok()) {
      tell(context, *job, format);
      arranged.push_back(std::move(*job));
      continue;
    }
    errors.push_back({{"job", word}, {"error", job.status().message()}});
    const int code = fail(context, job.status());
    exit_code = exit_code == exit_ok ? code : exit_code;
  }
  if (!is_document(format)) return exit_code;
  const std::string document = jobs_json(arranged, context.out_style().now);
  print_document(context.screen, format, errors.empty() ? document : with_member(document, "errors", text_of(errors)));
  return exit_code;
}

int hold_or_release(CommandContext& context, CommandLine& line, const std::vector<std::string>& arguments, Act act) {
  std::vector<std::string> jobs;
  std::string format = "text";
  line.words(a_job, 1, most_jobs_to_arrange, jobs);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  ArrangeRequest request;
  request.act = act;
  return arrange_all(context, jobs, request, format);
}

struct MoveFlags {
  bool first = false;
  bool last = false;
  std::optional<std::string> before;
  std::optional<std::string> after;
  std::optional<std::string> priority;
};

Result<int32_t> priority_of(std::string text) {
  const bool negative = text.starts_with('-');
  const Result<uint64_t> number = parse_number("--priority", negative ? text.substr(1) : text);
  if (!number.ok() || *number > static_cast<uint64_t>(highest_priority)) {
    return Status(Code::invalid_argument, "--priority needs a whole number from -100 to 100, not `" + text + "`");
  }
  return static_cast<int32_t>(*number) * (negative ? -1 : 1);
}

Result<ArrangeRequest> request_of(const MoveFlags& flags) {
  const int places = flags.first + flags.last + flags.before.has_value() + flags.after.has_value();
  if (places > 1) return Status(Code::invalid_argument, "choose one of --first, --last, --before and --after");
  if (places == 0 && !flags.priority) {
    return Status(Code::invalid_argument,
                  "name a position (--first, --last, --before JOB or --after JOB) or --priority N");
  }
  ArrangeRequest request;
  if (flags.first) request.act = Act::first;
  if (flags.last) request.act = Act::last;
  if (flags.before) request.act = Act::before;
  if (flags.after) request.act = Act::after;
  request.other = flags.before.value_or(flags.after.value_or(""));
  if (!flags.priority) return request;
  const Result<int32_t> priority = priority_of(*flags.priority);
  if (!priority.ok()) return priority.status();
  request.priority = *priority;
  return request;
}

}  // namespace

int hold_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("hold JOB…", "Keeps queued jobs from starting. Running jobs continue.", "muster hold sweep-3");
  return hold_or_release(context, line, arguments, Act::hold);
}

int release_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("release JOB…", "Lets held jobs start when it is their turn in the queue.",
                   "muster release sweep-3");
  return hold_or_release(context, line, arguments, Act::release);
}

int move_main(CommandContext& context, const std::vector<std::string>& arguments) {
  MoveFlags flags;
  std::vector<std::string> jobs;
  std::string format = "text";
  CommandLine line(
      "move JOB [flags]", "Moves a queued job to another position in the queue.",
      "muster move llm-eval --first\nmuster move sweep-3 --after sweep-2\nmuster move nightly --priority -10");
  line.flag("--first", flags.first, "before all queued jobs")
      .flag("--last", flags.last, "after all jobs that are queued now")
      .value("--before", "JOB", flags.before, "directly before this queued job")
      .value("--after", "JOB", flags.after, "directly after this queued job")
      .value("--priority", "N", flags.priority, "set the priority, -100 to 100; a higher priority starts first")
      .words(a_job, 1, 1, jobs)
      .note(
          "If the new position is between jobs of another priority, the job takes the nearest priority that fits "
          "there.");
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const Result<ArrangeRequest> request = request_of(flags);
  if (!request.ok()) return fail(context, request.status());
  return arrange_all(context, jobs, *request, format);
}

}  // namespace muster
