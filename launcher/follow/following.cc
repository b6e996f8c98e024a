// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/following.h"

#include "backends/kubernetes/cluster/cluster_client.h"
#include "core/client/connect/connect.h"
#include "core/client/follow/json_presenter.h"
#include "core/client/view/status_lines.h"
#include "core/job/errors/explain.h"
#include "core/system/store/output/file_near_files.h"
#include "launcher/follow/asking_hosts.h"
#include "launcher/follow/stdin_copy.h"
#include "launcher/follow/terminal_side.h"

namespace muster {

Result<std::unique_ptr<Connection>> Connection::open(CommandContext& context, bool start) {
  std::unique_ptr<Connection> connection(new Connection());
  const CallerContext* caller = &context.caller;
  AsioLoop* loop = &connection->loop_;
  auto client = connect_controller(*caller, *loop, start);
  if (!client.ok()) return client.status();
  const std::shared_ptr<ControlClient> shared = std::move(*client);
  connection->client_ = shared;
  connection->controller_ = shared;
  connection->reconnect_ = [caller, loop, start]() -> Result<std::shared_ptr<JobClient>> {
    auto connected = connect_controller(*caller, *loop, start);
    if (!connected.ok()) return connected.status();
    return std::shared_ptr<JobClient>(std::move(*connected));
  };
  connection->another_ = [caller, loop]() -> Result<std::unique_ptr<JobClient>> {
    auto connected = connect_controller(*caller, *loop, false);
    if (!connected.ok()) return connected.status();
    return std::unique_ptr<JobClient>(std::move(*connected));
  };
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::open(CommandContext& context, const ClusterWords& words) {
  const auto cluster = means_cluster(words, context.caller);
  if (!cluster.ok()) return cluster.status();
  return *cluster ? open_cluster(context, words.place()) : open(context, true);
}

Result<std::unique_ptr<Connection>> Connection::open_cluster(CommandContext& context, const ClusterPlace& place) {
  context.place = cluster_flags(place);
  const auto access =
      kubectl_access(context.caller, place, [&screen = context.screen](std::string_view text) { screen.err(text); });
  if (!access.ok()) return access.status();
  std::unique_ptr<Connection> connection(new Connection());
  AsioLoop& loop = connection->loop_;
  const std::string image = muster_image(context.caller);
  const auto remark = [&screen = context.screen](const std::string& sentence) { screen.err(sentence + "\n"); };
  connection->client_ = std::make_shared<ClusterClient>(loop, *access, image, remark);
  connection->reconnect_ = [client = connection->client_]() -> Result<std::shared_ptr<JobClient>> { return client; };
  connection->another_ = [&loop, access = *access, image]() -> Result<std::unique_ptr<JobClient>> {
    return std::unique_ptr<JobClient>(std::make_unique<ClusterClient>(loop, access, image, nullptr));
  };
  connection->near_ = false;
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::host(CommandContext& context) {
  return host([&](AsioLoop& loop) { return host_controller(context.caller, loop); });
}

Result<std::unique_ptr<Connection>> Connection::host(const MakeHosted& make) {
  std::unique_ptr<Connection> connection(new Connection());
  auto hosted = make(connection->loop_);
  if (!hosted.ok()) return hosted.status();
  connection->hosted_ = std::move(*hosted);
  connection->client_ = std::shared_ptr<JobClient>(std::shared_ptr<void>(), &connection->hosted_->client());
  connection->controller_ = std::shared_ptr<ControllerClient>(std::shared_ptr<void>(), &connection->hosted_->client());
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::meet(CommandContext& context, const GangPlace& place,
                                                     const SubmitRequest& request, const std::vector<int>& numbers,
                                                     const Told& remark, std::function<void(const Status&)> parted) {
  std::unique_ptr<Connection> connection(new Connection());
  AsioLoop& loop = connection->loop_;
  auto gang = open_gang(context.caller, loop, place, request);
  if (!gang.ok()) return gang.status();
  std::optional<Status> assembled;
  (*gang)->assemble(
      {.assembled = [&](const Status& status) { assembled = status; }, .lost = std::move(parted), .remark = remark});
  HeldSignals signals(loop, numbers);
  signals.deliver_to(
      [&](int number) { (*gang)->leave("stopped by " + signal_name(number) + " before all hosts had joined"); });
  while (!assembled && loop.run_one()) {
  }
  if (!assembled->ok()) return *assembled;
  connection->hosted_ = std::move(*gang);
  connection->client_ = std::shared_ptr<JobClient>(std::shared_ptr<void>(), &connection->hosted_->client());
  connection->controller_ = std::shared_ptr<ControllerClient>(std::shared_ptr<void>(), &connection->hosted_->client());
  return connection;
}

void Connection::announce_end() {
  constexpr Duration kPatience = std::chrono::seconds(3);
  constexpr Duration kLook = std::chrono::milliseconds(10);
  const TimePoint until = loop_.now() + kPatience;
  while (hosted_ && hosted_->has_execs() && loop_.now() < until) {
    loop_.at(loop_.now() + kLook, [] {});
    if (!loop_.run_one()) return;
  }
}

Status needs_controller(const std::string& what) {
  return explained(Code::unimplemented, what + " needs a controller on your machine; jobs in a cluster have none",
                   "E1663");
}

Result<std::vector<JobView>> find_jobs(JobReadClient& client, const std::vector<std::string>& words) {
  std::vector<JobView> jobs;
  for (const std::string& word : words) {
    auto job = client.describe(word);
    if (!job.ok()) return job.status();
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

namespace {

// nohup, and shells for background programs, ignore signals. Such signals stay ignored.
bool ignored_from_the_start(int number) {
  struct sigaction now {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals(AsioLoop& loop, const std::vector<int>& numbers) {
  for (const int number : numbers) {
    if (ignored_from_the_start(number)) continue;
    watches_.push_back(loop.watch_signal(number, [this, number] { arrived(number); }));
  }
}

void HeldSignals::arrived(int number) {
  if (handler_) return handler_(number);
  waiting_.push_back(number);
}

void HeldSignals::deliver_to(std::function<void(int)> handler) {
  handler_ = std::move(handler);
  if (!handler_) return;
  for (const int number : std::exchange(waiting_, {})) handler_(number);
}

namespace {

std::unique_ptr<Presenter> make_presenter(CommandContext& context, const JobView& job, const FollowPlan& plan) {
  if (plan.json) {
    const OutputChoice& output = plan.text.output;
    return std::make_unique<JsonPresenter>(context.screen,
                                           JsonChoice{output.out, output.err, plan.json_job, plan.yaml});
  }
  TextChoice choice = plan.text;
  if (plan.tty_rank) choice.output.raw_rank = plan.tty_rank;
  auto text = std::make_unique<TextPresenter>(context.screen, context.out_style(), context.err_style(), choice);
  text->view(job);
  return text;
}

}  // namespace

int follow_job(CommandContext& context, Connection& connection, HeldSignals& signals, JobView job,
               const FollowPlan& plan) {
  const auto presenter = make_presenter(context, job, plan);
  return follow_with(context, connection, signals, std::move(job), plan, *presenter);
}

int follow_with(CommandContext& context, Connection& connection, HeldSignals& signals, JobView job,
                const FollowPlan& plan, Presenter& presenter) {
  AsioLoop& loop = connection.loop();
  TerminalSide terminal(context, loop, presenter, plan.tty_rank, plan.window);
  StdinCopy copy(loop, plan.copy_stdin_to);
  AskingHosts asking(context, loop, presenter);
  int exit_code = 0;
  bool over = false;
  const Session::Hooks hooks{.ask = [&](bool wanted) { terminal.ask(wanted); },
                             .done =
                                 [&](int code) {
                                   exit_code = code;
                                   over = true;
                                 },
                             .viewed =
                                 [&](const JobView& view) {
                                   if (!plan.tty_rank) asking.saw(view.asking_hosts);
                                 },
                             .question_is_seen = [&] { return terminal.question_is_seen(); }};
  FileNearFiles files;
  SessionRules rules = plan.rules;
  rules.style = context.err_style();
  Session session(loop, connection.client(), connection.reconnect(), connection.is_near() ? &files : nullptr,
                  std::move(job), rules, presenter, hooks);
  context.screen.on_broken([&] { loop.post([&] { session.reader_left(); }); });
  context.screen.serve(loop, [&](bool full) { session.hold(full); });
  context.screen.on_full([&] { loop.post([&] { session.output_lost(); }); });
  terminal.attach(session);
  FollowRequest request = plan.request;
  request.times = request.times || plan.json;
  session.start(std::move(request));
  bool left = false;
  signals.deliver_to([&](int number) {
    left = over;
    session.signal(number);
  });
  const auto all_is_shown = [&] { return over && (left || !context.screen.waits()); };
  while (!all_is_shown() && loop.run_one()) {
  }
  signals.deliver_to(nullptr);
  context.screen.serve_no_more();
  context.screen.on_broken(nullptr);
  context.screen.on_full(nullptr);
  return exit_code;
}

}  // namespace muster
