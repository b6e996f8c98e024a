// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/watch.h"
#include "core/worker/signals.h"

#include <algorithm>
#include <charconv>

namespace muster::worker {
namespace {

using namespace std::chrono_literals;

constexpr Duration patience = 200ms;
// Pauses between checks grow: a rank may be minutes late, and each check reads a key of each rank.
constexpr Duration first_pause = 250ms;
constexpr Duration longest_watch_pause = 2s;
// After a closed connection: the time to wait for the attempt to report which rank died.
constexpr Duration death_report_wait = 700ms;
// In larger communicators each rank checks this many ranks that follow it, and those it waits for.
constexpr uint32_t most_checked = 32;

}  // namespace

Watch::Watch(Meeting& meeting, const Roster& roster, Duration timeout, std::function<void()> interrupt)
    : meeting_(meeting),
      roster_(roster),
      timeout_(timeout),
      interrupt_(std::move(interrupt)) {
  if (roster_.size() == 1) return;
  const NoSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() { stop(); }

void Watch::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status Watch::enter(std::vector<Call> calls) {
  bool wake;
  {
    std::lock_guard lock(mutex_);
    if (!failure_.ok()) return failure_;
    doing_ = std::move(calls);
    began_ = Clock::now();
    ++generation_;
    wake = !std::exchange(armed_, true);
  }
  if (wake) changed_.notify_one();
  return Status();
}

void Watch::leave(bool done) {
  bool wake;
  {
    std::lock_guard lock(mutex_);
    if (done && doing_ && !doing_->empty() && doing_->back().point_to_point()) {
      const Call& call = doing_->back();
      passed_[{call.from, call.to}] = Call{.kind = call.kind, .from = call.from, .to = call.to, .number = call.number};
    }
    doing_.reset();
    ++generation_;
    wake = published_;
  }
  if (wake) changed_.notify_one();
}

void Watch::fail(const Status& status) {
  {
    std::lock_guard lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = status;
  }
  interrupt_();
}

Status Watch::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

Status Watch::explain(const Broken& broken) {
  if (const Status known = failure(); !known.ok()) return known;
  if (const auto told = published_failure()) {
    fail(*told);
    return failure();
  }
  std::vector<Call> calls;
  {
    std::lock_guard lock(mutex_);
    if (doing_) calls = *doing_;
  }
  const std::string what =
      (calls.empty() ? "opening" : describe(calls.back(), roster_.names()) + " in") + " `" + roster_.name + "`";
  if (const std::string why = meeting_.broken(death_report_wait); !why.empty()) {
    fail(Status(Code::aborted, "`" + roster_.name + "` cannot continue: " + why));
  } else if (broken.why == Broken::Why::peer_gone && broken.peer >= 0) {
    fail(Status(Code::aborted, what + " cannot continue: " + roster_.name_of(static_cast<uint32_t>(broken.peer)) +
                                   " closed its connection to " + roster_.name_of(roster_.rank) +
                                   (calls.empty() ? ", or another program connected in its place" : "")));
  } else {
    fail(Status(Code::internal, what + " failed: " + broken.text));
  }
  publish_failure(failure());
  return failure();
}

void Watch::run() {
  std::unique_lock lock(mutex_);
  uint64_t watched = 0;
  Clock::time_point check_at;
  Duration pause{};
  while (!stopping_) {
    if (!doing_) {
      if (published_) {
        published_ = false;
        lock.unlock();
        publish("|");
        lock.lock();
        continue;
      }
      // If the call has ended meanwhile, the thread sleeps again, and the next call must wake it.
      changed_.wait(lock, [this] { return armed_ = stopping_ || doing_; });
      continue;
    }
    if (watched != generation_) {
      watched = generation_;
      check_at = began_ + std::min(patience, timeout_ / 2);
      pause = first_pause;
    }
    const auto deadline = began_ + timeout_;
    if (!failure_.ok()) {
      changed_.wait(lock, [&] { return stopping_ || watched != generation_; });
      continue;
    }
    if (Clock::now() < std::min(check_at, deadline)) {
      changed_.wait_until(lock, std::min(check_at, deadline));
      continue;
    }
    const bool late = Clock::now() >= deadline;
    RankProgress own{*doing_, {}};
    for (const auto& [pair, call] : passed_) own.passed.push_back(call);
    published_ = true;
    lock.unlock();
    if (late)
      give_up(own);
    else
      check(own);
    lock.lock();
    check_at = Clock::now() + pause;
    pause = std::min(pause * 2, longest_watch_pause);
  }
}

void Watch::check(const RankProgress& own) {
  publish(encode(own));
  if (const auto told = published_failure()) return fail(*told);
  if (own.calls.empty()) return;
  const std::optional<std::string> verdict = judge(roster_, collect_progress(own, false));
  if (!verdict) return;
  const Status status(Code::invalid_argument, *verdict);
  publish_failure(status);
  // Another rank may have detected it at the same time with other progress; usually all ranks then use the last message.
  fail(published_failure().value_or(status));
}

void Watch::give_up(const RankProgress& own) {
  if (const auto told = published_failure()) return fail(*told);
  std::string text = "connecting `" + roster_.name + "`";
  std::string who;
  if (!own.calls.empty()) {
    publish(encode(own));
    const Call& call = own.calls.back();
    const std::vector<uint32_t> late = missing(roster_, call, collect_progress(own, true));
    text = describe(call, roster_.names()) + " (#" + std::to_string(call.number) + " in `" + roster_.name + "`)";
    who = late.empty() ? ": all ranks have called it"
                       : ": " + roster_.names_of(late) + (late.size() == 1 ? " has" : " have") + " not called it";
    // A rank that gave up a moment ago has removed its progress and has published its failure before.
    if (const auto told = published_failure()) return fail(*told);
  }
  const Status status(Code::deadline_exceeded, text + " timed out after " + humane_duration(timeout_) + who);
  publish_failure(status);
  fail(status);
}

GroupProgress Watch::collect_progress(const RankProgress& own, bool all) const {
  GroupProgress all_progress{{roster_.rank, own}};
  std::vector<uint32_t> ranks;
  if (all || roster_.size() <= most_checked) {
    for (uint32_t rank = 0; rank < roster_.size(); ++rank) ranks.push_back(rank);
  } else {
    ranks = {0, own.calls.back().from, own.calls.back().to};
    for (uint32_t hop = 1; hop <= most_checked; ++hop) ranks.push_back((roster_.rank + hop) % roster_.size());
  }
  for (const uint32_t rank : ranks) {
    if (all_progress.count(rank) > 0) continue;
    const Result<std::string> value = meeting_.get(roster_.prefix + "/at/" + std::to_string(rank));
    if (!value.ok()) continue;
    const Result<RankProgress> theirs = decode_progress(*value);
    if (theirs.ok()) all_progress[rank] = *theirs;
  }
  return all_progress;
}

void Watch::publish(const std::string& value) {
  // An error of the store is ignored: the attempt then fails, or the deadline passes.
  static_cast<void>(meeting_.set(roster_.prefix + "/at/" + std::to_string(roster_.rank), value));
}

std::optional<Status> Watch::published_failure() const {
  const Result<std::string> value = meeting_.get(roster_.prefix + "/failed");
  if (!value.ok()) return std::nullopt;
  int code = 0;
  const auto [at, error] = std::from_chars(value->data(), value->data() + value->size(), code);
  if (error != std::errc() || code <= 0 || *at != ' ') return std::nullopt;
  return Status(static_cast<Code>(code), std::string(at + 1));
}

void Watch::publish_failure(const Status& status) {
  const std::string value = std::to_string(static_cast<int>(status.code())) + " " + status.message();
  static_cast<void>(meeting_.set(roster_.prefix + "/failed", value));
}

}  // namespace muster::worker
