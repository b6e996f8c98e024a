// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/rank_context.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/worker/signals.h"

namespace muster::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = Connection::Clock;

// The time that an agent may take for a call that does not wait, and after the timeout of a call that does. Longer than a
// loaded machine stalls.
constexpr Duration kPatience = seconds(60);
// The shortest time between two progress reports.
constexpr auto kPace = milliseconds(100);
// While the coordinator cannot be reached (an upgrade or restart), the call is repeated after these pauses.
constexpr Duration kFirstPause = milliseconds(50);
constexpr Duration kLongestPause = seconds(1);
constexpr size_t kMostIdle = 8;

bool waits(StoreCall::Kind kind) {
  return kind == StoreCall::Kind::wait || kind == StoreCall::Kind::barrier || kind == StoreCall::Kind::fence;
}

// Whether a repeated call has the same effect as one call.
bool repeatable(StoreCall::Kind kind) {
  return waits(kind) || kind == StoreCall::Kind::get || kind == StoreCall::Kind::set;
}

// Whether a CPU is left for the agent while all ranks of the node compute.
bool has_spare_cpu(const Place& place) {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 &&
         static_cast<uint32_t>(CPU_COUNT(&usable)) > place.local_size;
}

// Redirects the process's output to the file of the new attempt. If the file cannot be opened, the output stays where it is.
void redirect(const std::map<std::string, std::string>& environment, const char* name, int target) {
  const auto path = environment.find(name);
  if (path == environment.end() || path->second.empty()) return;
  std::fflush(nullptr);
  const int fd = ::open(path->second.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  dup2(fd, target);
  close(fd);
}

}  // namespace

Result<std::unique_ptr<RankContext>> RankContext::open(Place place) {
  std::unique_ptr<RankContext> context(new RankContext(std::move(place)));
  Result<std::unique_ptr<Connection>> first = context->idle_connection();
  if (!first.ok()) return first.status();
  context->idle_.push_back(std::move(*first));
  return context;
}

RankContext::RankContext(Place place) : place_(std::move(place)), spare_cpu_(has_spare_cpu(place_)) {}

RankContext::~RankContext() {
  if (unsent_) static_cast<void>(send(*unsent_));  // an error does not matter any more
  stop_listening();
}

Result<std::unique_ptr<Connection>> RankContext::idle_connection() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  Result<Connection> opened = Connection::open(place_.socket);
  if (!opened.ok()) return opened.status();
  return std::make_unique<Connection>(std::move(*opened));
}

Result<Reply> RankContext::call(const std::string& frame, Duration patience, bool polls) {
  if (frame.size() > kLongestFrame)
    return Status(Code::invalid_argument, "a call is limited to 4 MiB, key and value together");
  Result<std::unique_ptr<Connection>> connection = idle_connection();
  if (!connection.ok()) return connection.status();
  Result<Reply> reply = (*connection)->call(frame, patience, polls);
  if (!reply.ok()) return reply;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(*connection));
  return reply;
}

Result<Reply> RankContext::polling_call(const std::string& frame) {
  const auto began = Clock::now();
  bool polls = false;
  {
    const std::lock_guard lock(mutex_);
    polls = adaptive_poll_.next();
  }
  Result<Reply> reply = call(frame, kPatience, polls);
  const std::lock_guard lock(mutex_);
  adaptive_poll_.took(polls, Clock::now() - began);
  return reply;
}

Result<Reply> RankContext::ask(const StoreCall& asked) {
  const bool is_short = !waits(asked.kind);
  const Duration patience = is_short                      ? kPatience
                            : asked.timeout > Duration(0) ? asked.timeout + kPatience
                                                          : Duration(0);
  const std::string frame = store_frame(place_.asker, asked);
  std::optional<Clock::time_point> away_since;
  for (Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    Result<Reply> reply = is_short && spare_cpu_ ? polling_call(frame) : call(frame, patience);
    if (!reply.ok()) return reply;
    if (reply->status.ok()) return reply;
    const bool away = reply->status.code() == Code::unavailable && repeatable(asked.kind);
    if (away && !away_since) away_since = Clock::now();
    const bool late = away && patience > Duration(0) && Clock::now() - *away_since > patience;
    if (!away || late) return reply->status;
    if (const std::string why = broken(pause); !why.empty()) return Status(Code::failed_precondition, why);
  }
}

Status RankContext::set(const std::string& key, const std::string& value) {
  return ask({StoreCall::Kind::set, key, value}).status();
}

Result<std::string> RankContext::get(const std::string& key) {
  Result<Reply> reply = ask({StoreCall::Kind::get, key});
  return reply.ok() ? Result<std::string>(std::move(reply->value)) : reply.status();
}

void RankContext::remove(const std::string& key) { static_cast<void>(ask({StoreCall::Kind::remove, key})); }

Result<std::string> RankContext::wait(const std::string& key, Duration timeout) {
  StoreCall call{StoreCall::Kind::wait, key};
  call.timeout = timeout;
  Result<Reply> reply = ask(call);
  return reply.ok() ? Result<std::string>(std::move(reply->value)) : reply.status();
}

Result<std::vector<std::string>> RankContext::fence(const std::string& name, const std::string& value,
                                                    const std::vector<uint32_t>& ranks, Duration timeout) {
  StoreCall call{StoreCall::Kind::fence, name, value};
  call.ranks = &ranks;
  call.timeout = timeout;
  Result<Reply> reply = ask(call);
  if (!reply.ok()) return reply.status();
  const size_t expected = ranks.empty() ? place_.world_size : ranks.size();
  if (reply->values.size() == expected) return std::move(reply->values);
  return Status(Code::internal, "fence `" + name + "` returned " + std::to_string(reply->values.size()) +
                                    " values for " + std::to_string(expected) + " ranks");
}

Status RankContext::send(const Progress& progress) {
  Result<Reply> reply = call(progress_frame(place_.asker, progress), kPatience);
  return reply.ok() ? reply->status : reply.status();
}

Status RankContext::tell(const Progress& progress) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool last = progress.total > 0 && progress.step >= progress.total;
    unsent_ = progress;
    if (!last && now - sent_at_ < kPace) return Status();
    sent_at_ = now;
    unsent_.reset();
  }
  return send(progress);
}

std::optional<End> RankContext::end() {
  const std::lock_guard lock(mutex_);
  if (!listener_.joinable()) {
    const NoSignals blocked;
    listener_ = std::thread([this] { listen(); });
  }
  return end_;
}

// The agent answers when the attempt is about to end. If the agent is gone, the rank cannot continue either.
void RankContext::listen() {
  Result<Connection> opened = Connection::open(place_.socket);
  if (!opened.ok()) return set_end(opened.status().message(), true);
  Connection* connection = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    end_connection_ = std::make_unique<Connection>(std::move(*opened));
    connection = end_connection_.get();
  }
  const Result<Reply> reply = connection->call(end_frame(place_.asker), Duration(0));
  if (!reply.ok()) return set_end(reply.status().message(), true);
  if (reply->kind == Reply::Kind::end) return set_end(reply->value, reply->broken, reply->grace);
  if (reply->kind == Reply::Kind::store && !reply->status.ok()) set_end(reply->status.message(), true);
}

void RankContext::set_end(const std::string& why, bool broken, Duration grace) {
  const std::lock_guard telling(telling_);
  std::map<uint64_t, std::function<void(const std::string&)>> watchers;
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    end_ = End{why, Clock::now() + grace};
    if (broken) broken_ = why;
    if (broken) watchers = watchers_;
    end_changed_.notify_all();
  }
  for (const auto& [number, tell] : watchers) {
    if (watchers_.count(number) > 0) tell(why);  // an earlier callback may have removed it
  }
}

void RankContext::stop_listening() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (end_connection_) end_connection_->interrupt();
  }
  if (listener_.joinable()) listener_.join();
  end_connection_.reset();
  closing_ = false;
}

std::string RankContext::broken(Duration patience) {
  static_cast<void>(end());  // starts the listener thread
  std::unique_lock lock(mutex_);
  end_changed_.wait_for(lock, patience, [this] { return !broken_.empty(); });
  return broken_;
}

uint64_t RankContext::on_broken(std::function<void(const std::string&)> tell) {
  static_cast<void>(end());
  const std::lock_guard telling(telling_);
  uint64_t number = 0;
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    number = next_watcher_++;
    why = broken_;
    if (why.empty()) watchers_[number] = tell;
  }
  if (!why.empty()) tell(why);
  return number;
}

void RankContext::forget(uint64_t number) {
  const std::lock_guard telling(telling_);
  const std::lock_guard lock(mutex_);
  watchers_.erase(number);
}

Status RankContext::rejoin() {
  const Result<Reply> reply = call(rejoin_frame(place_.asker), Duration(0));
  if (!reply.ok()) return reply.status();
  if (!reply->status.ok()) return reply->status;
  const std::map<std::string, std::string> environment(reply->environment.begin(), reply->environment.end());
  Result<Place> place = place_from(environment);
  if (!place.ok()) return place.status();
  redirect(environment, "MUSTER_STDOUT", STDOUT_FILENO);
  redirect(environment, "MUSTER_STDERR", STDERR_FILENO);
  stop_listening();
  const std::lock_guard lock(mutex_);
  place_ = std::move(*place);
  end_.reset();
  broken_.clear();
  unsent_.reset();
  return Status();
}

}  // namespace muster::worker
