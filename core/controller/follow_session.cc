// SPDX-License-Identifier: Apache-2.0
#include "core/controller/follow_session.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

// At most so many chunks are sent in one turn of the loop, so that a flood of output does not delay everything else.
constexpr int kChunksPerTurn = 16;
// The interval at which the journal of a job that another process hosts is read. Its output files are watched.
constexpr Duration kFollowLookAgain = std::chrono::milliseconds(500);
// Output whose order an agent does not record is shown after one to two of these.
constexpr Duration kOrderPatience = std::chrono::seconds(1);

bool wanted(const FollowRequest& request, uint32_t index) {
  return request.ranks.empty() || std::find(request.ranks.begin(), request.ranks.end(), index) != request.ranks.end();
}

// Whether the job had ended with this event, or before it.
bool is_of_the_end(const JobEvent& event) {
  return event.state == "succeeded" || event.state == "failed" || event.state == "cancelled";
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
      reader_(files, request.in_place, request.times),
      first_newest_(job_.fold().state().attempt),
      next_event_(std::max<uint64_t>(request.from_event, 1)) {
  sink_->listen(
      [this] {
        full_ = false;
        pump_soon();
      },
      [this] { finish(Status(Code::cancelled, "the viewer has left")); });
}

FollowSession::~FollowSession() {
  *alive_ = false;
  loop_.cancel(look_timer_);
  loop_.cancel(order_timer_);
}

void FollowSession::job_changed() {
  view_due_ = request_.events;
  // Output that a rank printed before an event must be shown before the event. Without a new event, the watches are soon enough:
  // with many ranks, each start and end would read all their files.
  const std::vector<JobEvent>& events = job_.fold().events();
  if (request_.events && !events.empty() && events.back().sequence >= next_event_) catch_up();
  const bool elsewhere = job_.cold && request_.follow && job_.fold().state().phase != job::Phase::done;
  if (elsewhere && look_timer_ == 0) look_timer_ = loop_.at(loop_.now() + kFollowLookAgain, [this] { look_again(); });
  pump_soon();
}

void FollowSession::catch_up() {
  for (const auto& [number, watch] : watches_) watch->catch_up();
}

void FollowSession::look_at_files() {
  for (const auto& [number, watch] : watches_) reader_.changed(job_.fold().begun()[number].attempt);
}

// For a job that another process hosts. It may run on another machine, whose writes to shared files our watches do not see.
void FollowSession::look_again() {
  look_timer_ = 0;
  if (!sink_) return;
  Result<std::shared_ptr<JobFold>> fold = job_.read_again();
  if (!fold.ok()) return finish(fold.status());
  job_.cold = std::move(*fold);
  look_at_files();
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
  if (reader_.waits_for_order()) wait_for_order();
  const bool over = job_.fold().state().phase == job::Phase::done;
  // The job's end is sent last, after all output.
  if (over && request_.follow && !job_.has_output()) return;
  const bool at_end = (over && job_.may_tell_end()) || !request_.follow;
  if (at_end && !output_finished()) return pump_soon();
  if (!send_events() || !send_view()) return;
  if (at_end) finish(Status());
}

// The agent records the order of output within milliseconds, unless it is stopped or cannot write.
void FollowSession::wait_for_order() {
  if (order_timer_ != 0) return;
  order_timer_ = loop_.at(loop_.now() + kOrderPatience, [this] {
    order_timer_ = 0;
    reader_.lose_patience();
    pump_soon();
  });
}

void FollowSession::add_attempts() {
  if (!request_.output) return;
  const std::vector<BegunAttempt>& attempts = job_.fold().begun();
  // With elastic membership, the ranks of an attempt are known only when it runs.
  const bool undealt = job_.fold().submission().plan.membership && job_.fold().state().phase == job::Phase::placing;
  for (; next_attempt_ + (undealt ? 1 : 0) < attempts.size(); ++next_attempt_) {
    if (asked(attempts[next_attempt_])) add_attempt(next_attempt_);
  }
  end_attempts();
}

// If a group kept running while another group started attempt `first`, its own earlier attempt is shown too.
bool FollowSession::asked(const BegunAttempt& attempt) const {
  const Attempt first = request_.attempt.value_or(request_.first_attempt);
  if (attempt.attempt == first) return true;
  if (attempt.attempt > first) return !request_.attempt;
  const std::vector<BegunAttempt>& all = job_.fold().begun();
  return job::gang_count(job_.fold().state()) > 1 && std::none_of(all.begin(), all.end(), [&](const auto& other) {
           return other.gang == attempt.gang && other.attempt > attempt.attempt && other.attempt <= first;
         });
}

std::vector<uint32_t> FollowSession::ranks_of(const BegunAttempt& attempt) const {
  const std::vector<PlannedRank>& ranks = job_.fold().plan_of(attempt.attempt).ranks;
  const bool everybody = job::gang_count(job_.fold().state()) == 1;
  std::vector<uint32_t> indices;
  for (uint32_t index = 0; index < ranks.size(); ++index) {
    if (everybody || ranks[index].group == attempt.gang) indices.push_back(index);
  }
  return indices;
}

void FollowSession::add_attempt(size_t number) {
  const Submission& submission = job_.fold().submission();
  const BegunAttempt begun = job_.fold().begun()[number];
  const Attempt attempt = begun.attempt;
  if (request_.follow && !job_.prints_no_more(begun)) {
    watches_[number] = files_.watch(job_.id, attempt, [this, attempt](const std::vector<std::string>& paths) {
      reader_.changed(attempt, paths);
      pump_soon();
    });
  }
  const std::vector<PlannedRank>& ranks = job_.fold().plan_of(attempt).ranks;
  for (const uint32_t index : ranks_of(begun)) {
    if (!wanted(request_, index)) continue;
    for (const OutputStream stream : {OutputStream::setup, OutputStream::out, OutputStream::err}) {
      if (stream == OutputStream::setup && (submission.spec.setup.empty() || ranks[index].local_rank > 0)) continue;
      const Result<std::string> path = files_.path(job_.id, attempt, rank_file(submission.spec, ranks[index]), stream);
      const OutputStart start = attempt <= first_newest_ ? start_of(request_, attempt, index, stream) : OutputStart();
      if (path.ok()) reader_.add({attempt, index, stream, *path, start});
    }
  }
  if (watches_.count(number) == 0) reader_.end(attempt, ranks_of(begun));
}

void FollowSession::end_attempts() {
  std::erase_if(watches_, [this](const auto& entry) {
    const BegunAttempt& attempt = job_.fold().begun()[entry.first];
    if (!job_.prints_no_more(attempt)) return false;
    reader_.end(attempt.attempt, ranks_of(attempt));
    return true;
  });
}

// False: there is more to send, because the window is full or this turn has sent enough.
bool FollowSession::send_output() {
  for (int i = 0; i < kChunksPerTurn; ++i) {
    OutputRead read = reader_.next();
    if (read.kind == OutputRead::Kind::drained) return true;
    if (read.kind == OutputRead::Kind::working) continue;
    if (read.dropped > 0) {
      JobEvent note;
      note.time = loop_.now();
      note.kind = "output-dropped";
      note.sentence = "dropped the oldest " + humane_size(read.dropped) + " of the output of " +
                      rank_name_of(read.position()) + " (logs.max)";
      sink_->write({note});
    }
    const bool span = read.kind == OutputRead::Kind::span;
    if (!sink_->write(span ? FollowItem{std::move(read.span)} : FollowItem{std::move(read.chunk)})) {
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

// False, here and in send_view(): the window is full.
bool FollowSession::send_events() {
  if (!request_.events) return true;
  const std::vector<JobEvent>& events = job_.fold().events();
  auto next = std::lower_bound(events.begin(), events.end(), next_event_,
                               [](const JobEvent& event, uint64_t sequence) { return event.sequence < sequence; });
  const bool hides_end = job_.fold().state().phase == job::Phase::done && !job_.may_tell_end();
  for (; !full_ && next != events.end(); ++next) {
    if (hides_end && is_of_the_end(*next)) break;
    next_event_ = next->sequence + 1;
    full_ = !sink_->write({*next});
  }
  return !full_;
}

bool FollowSession::send_view() {
  if (!std::exchange(view_due_, false)) return true;
  JobView view = job_.view();
  view.manifest.clear();  // large, and viewers do not show it
  if (view == shown_) return true;
  shown_ = std::move(view);
  full_ = !sink_->write({shown_});
  return !full_;
}

void FollowSession::finish(const Status& status) {
  if (!sink_) return;
  sink_->finish(status);
  // Destroyed in a later turn of the loop: this may be a call from its handler.
  loop_.post([gone = std::shared_ptr<FollowSink>(std::move(sink_))] {});
  watches_.clear();
  if (over_) std::exchange(over_, nullptr)();
}

}  // namespace muster
