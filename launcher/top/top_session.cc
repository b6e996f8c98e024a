// SPDX-License-Identifier: Apache-2.0
#include "launcher/top/top_session.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "launcher/follow/shared_watch.h"
#include "launcher/top/top_view.h"

namespace muster {
namespace {

constexpr Duration kFrame = std::chrono::milliseconds(40);
constexpr size_t kMostEvents = 500;
constexpr size_t kMostLines = 200;  // of a rank

winsize size_now() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return {24, 80, 0, 0};
  return size;
}

}  // namespace

TopSession::TopSession(CommandContext& context, Connection& connection, const TopChoice& choice)
    : context_(context),
      connection_(connection),
      choice_(choice),
      client_(connection.client()),
      screen_(context.screen) {}

int TopSession::run(HeldSignals& signals, const TopPoller::Connect& connect) {
  AsioLoop& loop = connection_.loop();
  screen_.enter();
  const auto typed = watch_shared(loop, STDIN_FILENO, Ready::to_read, [this] { keys(); });
  const auto resized = loop.watch_signal(SIGWINCH, [this] { resume(); });
  const auto stopped = loop.watch_signal(SIGTSTP, [this] { suspend(); });
  const auto resumed = loop.watch_signal(SIGCONT, [this] { resume(); });
  context_.screen.on_broken([this] { code_ = 128 + SIGPIPE; });
  context_.screen.on_full([this] { code_ = exit_unwritten; });
  signals.deliver_to([this](int number) { code_ = 128 + number; });
  poller_ = std::make_unique<TopPoller>(
      loop, connect, choice_.interval,
      TopPoller::Handlers{.jobs = [this](std::vector<JobView> now) { jobs(std::move(now)); },
                          .gone = [this](const Status& why) { gone(why); },
                          .stopped = [this](const Status& done) { state_.remark = done.message(); }});
  while (!code_ && loop.run_one()) {
  }
  screen_.leave();
  signals.deliver_to(nullptr);
  context_.screen.on_broken(nullptr);
  context_.screen.on_full(nullptr);
  open_.reset();
  shot_.reset();
  poller_.reset();
  return code_.value_or(exit_ok);
}

void TopSession::jobs(std::vector<JobView> now) {
  if (std::exchange(away_, false)) {
    state_.remark = "a new controller has taken over";
    if (auto client = connection_.reconnect()(); client.ok()) client_ = std::move(*client);
    if (state_.page != TopPage::jobs) follow_open_job();
  } else if (updates_ % 5 == 4) {
    state_.remark.clear();
  }
  take_jobs(state_, std::move(now));
  if (state_.page == TopPage::jobs) open_.reset();
  if (++updates_ >= choice_.count.value_or(UINT64_MAX)) code_ = exit_ok;
  read_output();
  draw();
}

void TopSession::gone(const Status&) {
  away_ = true;
  state_.remark = "the controller is gone; jobs continue. Waiting for a new one: any other muster command starts it";
  draw();
}

void TopSession::keys() {
  bool closed = false;
  const std::string bytes = Keyboard::read_typed(closed);
  if (closed) code_ = 128 + SIGHUP;
  for (const KeyPress& key : reader_.read(bytes)) obey(take_key(state_, key));
  draw();
}

void TopSession::obey(const TopAction& action) {
  if (action.quit) code_ = exit_ok;
  if (action.stop) poller_->stop(*action.stop);
  if (action.look) follow_open_job();
}

// Ctrl-Z: restores the terminal and stops this process by a signal, as shells expect it.
void TopSession::suspend() {
  screen_.leave();
  raise(SIGSTOP);
  resume();
}

void TopSession::resume() {
  screen_.enter();
  draw();
}

void TopSession::follow_open_job() {
  open_.reset();
  shot_.reset();
  if (state_.page == TopPage::jobs) return;
  if (state_.events.empty() || away_) {
    state_.events.clear();
  }
  FollowRequest request;
  request.job = state_.job.text();
  request.events = true;
  request.from_event = state_.events.empty() ? 1 : state_.events.back().sequence + 1;
  open_ = client_->follow(
      request, [this](const FollowItem& item) { heard(item); }, [](const Status&) {});
  read_output();
}

void TopSession::heard(const FollowItem& item) {
  if (const auto* event = std::get_if<JobEvent>(&item.item)) {
    state_.events.push_back(*event);
    if (state_.events.size() > kMostEvents) state_.events.erase(state_.events.begin());
  }
  if (const auto* view = std::get_if<JobView>(&item.item)) {
    for (JobView& job : state_.jobs) {
      if (job.id == view->id) job = *view;
    }
  }
  changed();
}

// Reads the last lines at each update instead of following the output, which may be endless.
void TopSession::read_output() {
  if (state_.page == TopPage::jobs || shot_) return;
  FollowRequest request;
  request.job = state_.job.text();
  request.output = true;
  request.follow = false;
  request.tail_lines = state_.page == TopPage::job ? 1 : std::min<uint64_t>(size_now().ws_row, kMostLines);
  const JobView* job = chosen_job(state_);
  if (job != nullptr && job->attempt > 0) request.attempt = job->attempt;
  if (state_.page == TopPage::output && !state_.all_ranks) request.ranks = {state_.rank};
  assemblers_.clear();
  read_.clear();
  const auto take = [this](const FollowItem& item) {
    if (const auto* chunk = std::get_if<OutputChunk>(&item.item)) take_output(*chunk);
  };
  shot_ = client_->follow(request, take, [this](const Status&) {
    for (auto& [key, assembler] : assemblers_) {
      if (const std::string rest = assembler.unfinished(); !rest.empty()) read_[key.first].push_back(rest);
    }
    state_.output = std::exchange(read_, {});
    connection_.loop().post([this] { shot_.reset(); });
    changed();
  });
}

void TopSession::take_output(const OutputChunk& chunk) {
  const auto key = std::pair(chunk.position.index, chunk.position.stream);
  auto& assembler = assemblers_.try_emplace(key, LineTarget::terminal).first->second;
  std::vector<std::string>& lines = read_[chunk.position.index];
  for (std::string& line : assembler.add(chunk.bytes)) lines.push_back(std::move(line));
  if (lines.size() > kMostLines) lines.erase(lines.begin(), lines.end() - kMostLines);
}

// Draws at most once per kFrame, because events arrive in bursts.
void TopSession::changed() {
  if (std::exchange(drawing_, true)) return;
  AsioLoop& loop = connection_.loop();
  loop.at(loop.now() + kFrame, [this] {
    drawing_ = false;
    draw();
  });
}

void TopSession::draw() {
  const winsize size = size_now();
  Style style = context_.out_style();
  style.columns = size.ws_col;
  screen_.draw(top_screen(state_, style, size.ws_row));
}

}  // namespace muster
