#include "core/runtime/follow_session.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

// Chunks of one turn, so that a flood of output leaves turns for everything else.
constexpr int kChunksPerTurn = 16;
// How often the journal of a job that another process hosts is read; its output is watched.
constexpr Duration kLookAgain = std::chrono::milliseconds(500);

bool wanted(const FollowRequest& request, uint32_t index) {
  return request.ranks.empty() || std::find(request.ranks.begin(), request.ranks.end(), index) != request.ranks.end();
}

}  // namespace

FollowSession::FollowSession(Loop& loop, OutputFiles& files, FollowedJob job, const FollowRequest& request,
                             std::unique_ptr<FollowSink> sink, std::function<void()> over)
    : loop_(loop),
      files_(files),
      job_(std::move(job)),
      request_(request),
      sink_(std::move(sink)),
      over_(std::move(over)),
      reader_(files),
      first_newest_(job_.fold().state().attempt),
      next_event_(std::max<uint64_t>(request.from_event, 1)) {
  sink_->listen(
      [this] {
        full_ = false;
        pump_soon();
      },
      [this] { finish(Status(Code::cancelled, "the viewer left")); });
}

FollowSession::~FollowSession() {
  *alive_ = false;
  loop_.cancel(look_timer_);
}

void FollowSession::job_changed() {
  view_due_ = request_.events;
  // What a rank printed before it changed is to be shown before what is said about it.
  reader_.changed(job_.fold().state().attempt);
  const bool elsewhere = job_.cold && request_.follow && job_.fold().state().phase != job::Phase::done;
  if (elsewhere && look_timer_ == 0) look_timer_ = loop_.at(loop_.now() + kLookAgain, [this] { look_again(); });
  pump_soon();
}

void FollowSession::look_again() {
  look_timer_ = 0;
  if (!sink_) return;
  Result<std::shared_ptr<JobFold>> fold = job_.read_again();
  if (!fold.ok()) return finish(fold.status());
  job_.cold = std::move(*fold);
  job_changed();
}

void FollowSession::pump_soon() {
  if (pump_due_ || !sink_) return;
  pump_due_ = true;
  loop_.post([this, alive = alive_] {
    if (*alive) pump();
  });
}

void FollowSession::pump() {
  pump_due_ = false;
  if (!sink_) return;
  add_attempts();
  if (full_ || (request_.output && !send_output())) return;
  const bool at_end = job_.fold().state().phase == job::Phase::done || !request_.follow;
  if (at_end && !output_finished()) return pump_soon();
  if (!send_events() || !send_view()) return;
  if (at_end) finish(Status());
}

void FollowSession::add_attempts() {
  if (!request_.output) return;
  // Where hosts come and go, an attempt's ranks are known when it runs.
  const bool undealt = job_.fold().submission().plan.gathering && job_.fold().state().phase == job::Phase::placing;
  const Attempt newest = job_.fold().state().attempt - (undealt ? 1 : 0);
  for (; next_attempt_ <= newest; ++next_attempt_) {
    const bool asked = request_.attempt ? *request_.attempt == next_attempt_ : next_attempt_ >= request_.first_attempt;
    if (asked) add_attempt(next_attempt_);
  }
  end_attempts();
}

void FollowSession::add_attempt(Attempt attempt) {
  const Submission& submission = job_.fold().submission();
  if (request_.follow && !attempt_over(attempt)) {
    watches_[attempt] = files_.watch(job_.id, attempt, [this, attempt] {
      reader_.changed(attempt);
      pump_soon();
    });
  }
  const std::vector<PlannedRank>& ranks = job_.fold().plan_of(attempt).ranks;
  for (uint32_t index = 0; index < ranks.size(); ++index) {
    if (!wanted(request_, index)) continue;
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      const Result<std::string> path = files_.path(job_.id, attempt, rank_file(submission.spec, ranks[index]), stream);
      const OutputStart start = attempt <= first_newest_ ? start_of(request_, attempt, index, stream) : OutputStart();
      if (path.ok()) reader_.add({attempt, index, stream, *path, start});
    }
  }
  if (watches_.count(attempt) == 0) reader_.end(attempt);
}

bool FollowSession::attempt_over(Attempt attempt) const {
  const job::State& state = job_.fold().state();
  return state.attempt > attempt || state.phase == job::Phase::backoff || state.phase == job::Phase::done;
}

void FollowSession::end_attempts() {
  std::erase_if(watches_, [this](const auto& entry) {
    if (!attempt_over(entry.first)) return false;
    reader_.changed(entry.first);
    reader_.end(entry.first);
    return true;
  });
}

// False: the window is full, or this turn has had its share; more follows.
bool FollowSession::send_output() {
  for (int i = 0; i < kChunksPerTurn; ++i) {
    OutputRead read = reader_.next();
    if (read.kind == OutputRead::Kind::drained) return true;
    if (read.kind == OutputRead::Kind::working) continue;
    if (read.dropped > 0) {
      JobEvent note;
      note.kind = "output-dropped";
      note.sentence = humane_size(read.dropped) + " of the output of " + rank_name_of(read.chunk.position) +
                      " were dropped (logs.max)";
      sink_->write({note});
    }
    if (!sink_->write({std::move(read.chunk)})) {
      full_ = true;
      return false;
    }
  }
  pump_soon();
  return false;
}

std::string FollowSession::rank_name_of(const OutputPosition& at) const {
  return rank_name(job_.fold().submission().spec, job_.fold().plan_of(at.attempt).ranks[at.index]);
}

bool FollowSession::output_finished() const { return !request_.output || reader_.finished(); }

// False, here and below: the window is full.
bool FollowSession::send_events() {
  if (!request_.events) return true;
  const std::vector<JobEvent>& events = job_.fold().events();
  auto next = std::lower_bound(events.begin(), events.end(), next_event_,
                               [](const JobEvent& event, uint64_t sequence) { return event.sequence < sequence; });
  for (; !full_ && next != events.end(); ++next) {
    next_event_ = next->sequence + 1;
    full_ = !sink_->write({*next});
  }
  return !full_;
}

bool FollowSession::send_view() {
  if (!std::exchange(view_due_, false)) return true;
  JobView view = job_.view();
  if (view == shown_) return true;
  shown_ = std::move(view);
  full_ = !sink_->write({shown_});
  return !full_;
}

void FollowSession::finish(const Status& status) {
  if (!sink_) return;
  sink_->finish(status);
  // Destroyed in a turn of its own: we may be inside its handler.
  loop_.post([gone = std::shared_ptr<FollowSink>(std::move(sink_))] {});
  watches_.clear();
  if (over_) std::exchange(over_, nullptr)();
}

}  // namespace muster
