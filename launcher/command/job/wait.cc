// SPDX-License-Identifier: Apache-2.0
// muster wait: blocks until jobs have ended. Exits with the code of the first job that did not succeed.
#include <csignal>
#include <set>

#include "core/base/text.h"
#include "core/client/view/json.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

constexpr size_t most_jobs_to_await = 1000;

// Prints only the end of a job.
class EndPresenter final : public Presenter {
 public:
  EndPresenter(Screen& screen, Style style, bool quiet) : screen_(screen), style_(style), quiet_(quiet) {}
  const std::vector<JobView>& ended() const { return ended_; }  // in the order of their ends
  void event(const JobEvent&) override {}
  void view(const JobView& job) override { name_ = job.name; }
  void output(const OutputChunk&) override {}
  void remark(const std::string& sentence) override { screen_.err(muster::remark(name_, sentence, style_)); }
  void end(const JobView& job) override {
    if (!quiet_ && job.done) screen_.err(end_lines(job, style_));
    ended_.push_back(job);
  }

 private:
  Screen& screen_;
  const Style style_;
  const bool quiet_;
  std::string name_;
  std::vector<JobView> ended_;
};

struct WaitFlags {
  std::vector<std::string> jobs;
  std::optional<std::string> timeout;
  bool propagate = false;
  bool quiet = false;
  std::string format = "text";
  ClusterWords cluster;
};

bool says_no_text(const std::string& format) { return format != "text" && format != "wide"; }

void print(CommandContext& context, const std::string& format, const std::vector<JobView>& jobs) {
  if (is_document(format)) print_document(context.screen, format, jobs_json(jobs, context.out_style().now));
  if (format != "name") return;
  for (const JobView& job : jobs) context.screen.out(job.name + "\n");
}

// "a, b have not ended".
std::string late(const std::vector<JobView>& jobs, const std::set<size_t>& left) {
  constexpr size_t most_names = 4;
  std::vector<std::string> names;
  for (const size_t i : left) names.push_back(jobs[i].name);
  return short_list(names, most_names) + (names.size() == 1 ? " has" : " have") + " not ended";
}

int wait_for(CommandContext& context, Connection& connection, const std::vector<JobView>& jobs, const WaitFlags& flags,
             std::optional<Duration> timeout) {
  AsioLoop& loop = connection.loop();
  HeldSignals signals(loop);
  std::vector<int> codes(jobs.size(), exit_ok);
  std::set<size_t> left;
  for (size_t i = 0; i < jobs.size(); ++i) left.insert(i);
  EndPresenter presenter(context.screen, context.err_style(), flags.quiet || says_no_text(flags.format));
  std::vector<std::unique_ptr<Session>> sessions;
  std::optional<int> cut_short;
  const auto leave = [&](int code) {
    cut_short = code;
    loop.stop();
  };
  for (size_t i = 0; i < jobs.size(); ++i) {
    const auto done = [&, i](int code) {
      codes[i] = code;
      left.erase(i);
      if (left.empty()) loop.stop();
    };
    const SessionRules rules{.mode = InterruptMode::look, .propagate = flags.propagate};
    sessions.push_back(std::make_unique<Session>(loop, connection.client(), connection.reconnect(), nullptr, jobs[i],
                                                 rules, presenter, Session::Hooks{.ask = [](bool) {}, .done = done}));
    sessions.back()->start({.job = jobs[i].id.text(), .events = true});
  }
  signals.deliver_to([&](int number) { leave(128 + number); });
  if (timeout) loop.at(loop.now() + *timeout, [&] { leave(exit_wait_timeout); });
  loop.run();
  signals.deliver_to(nullptr);
  if (cut_short == exit_wait_timeout)
    context.screen.err(error_line(context.err_style(), late(jobs, left) + " within " + humane_duration(*timeout)));
  print(context, flags.format, presenter.ended());
  if (cut_short) return *cut_short;
  const auto bad = std::find_if(codes.begin(), codes.end(), [](int code) { return code != exit_ok; });
  return bad == codes.end() ? exit_ok : *bad;
}

}  // namespace

int wait_main(CommandContext& context, const std::vector<std::string>& arguments) {
  WaitFlags flags;
  CommandLine line("wait JOB… [flags]", "Waits until jobs have ended.",
                   "muster wait train-7f2 --timeout 2h && echo done");
  line.value("--timeout", "TIME", flags.timeout,
             "exit with 124 if a job has not ended after this time, such as 2h (default: no limit)")
      .flag("--propagate", flags.propagate, "exit with the code of the first rank (process) that failed")
      .flag("-q,--quiet", flags.quiet, "print nothing")
      .words(a_job, 1, most_jobs_to_await, flags.jobs)
      .note(
          "Exit code: 0 if all jobs succeeded; otherwise the code of the first job, in the order of the command line, "
          "that "
          "did not.");
  declare_cluster_words(line, flags.cluster);
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  std::optional<Duration> timeout;
  if (flags.timeout) {
    const auto parsed = parse_duration(*flags.timeout);
    if (!parsed.ok()) return fail(context, parsed.status().with_context("--timeout"));
    timeout = *parsed;
  }
  auto connection = Connection::open(context, flags.cluster);
  if (!connection.ok()) return fail(context, connection.status());
  const auto jobs = find_jobs(*(*connection)->client(), flags.jobs);
  if (!jobs.ok()) return fail(context, jobs.status());
  return wait_for(context, **connection, *jobs, flags, timeout);
}

}  // namespace muster
