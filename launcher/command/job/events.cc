// SPDX-License-Identifier: Apache-2.0
// muster events: prints a job's journal as a timeline.
#include "core/client/view/json.h"
#include "core/client/view/status_lines.h"
#include "launcher/cli/cluster_words.h"
#include "launcher/cli/output_format.h"
#include "launcher/follow/following.h"

namespace muster {
namespace {

class TimelinePresenter final : public Presenter {
 public:
  TimelinePresenter(Screen& screen, Style style, std::string name, std::string format)
      : screen_(screen),
        style_(style),
        name_(std::move(name)),
        format_(std::move(format)) {}
  // Documents have all events; text has only those with a sentence.
  void event(const JobEvent& event) override {
    if (format_ == "yaml") screen_.out("---\n");
    if (is_document(format_)) return print_document(screen_, format_, event_json(event));
    if (!event.sentence.empty()) screen_.out(timeline_line(event, style_));
  }
  void view(const JobView&) override {}
  void output(const OutputChunk&) override {}
  void remark(const std::string& sentence) override { screen_.err(muster::remark(name_, sentence, style_)); }
  void end(const JobView&) override {}

 private:
  Screen& screen_;
  const Style style_;
  const std::string name_;
  const std::string format_;
};

}  // namespace

int events_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{last_job};
  bool follow = false;
  std::string format = "text";
  ClusterWords cluster;
  CommandLine line("events [JOB] [flags]", "Shows the timeline of a job: what happened, in order.",
                   "muster events train-7f2 -f");
  line.flag("-f,--follow", follow, "wait for new events until the job ends")
      .choice("-o,--output", {"text", "json", "yaml"}, format, stream_format_help)
      .words(a_job, 0, 1, words);
  declare_cluster_words(line, cluster);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  auto connection = Connection::open(context, cluster);
  if (!connection.ok()) return fail(context, connection.status());
  HeldSignals signals((*connection)->loop());
  const auto job = (*connection)->client()->describe(words.front());
  if (!job.ok()) return fail(context, job.status());
  TimelinePresenter presenter(context.screen, context.out_style(), job->name, format);
  FollowPlan plan{.request = {.job = job->id.text(), .events = true, .follow = follow},
                  .rules = {.mode = InterruptMode::look, .exit_as_job = false}};
  return follow_with(context, **connection, signals, *job, plan, presenter);
}

}  // namespace muster
