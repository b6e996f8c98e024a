// SPDX-License-Identifier: Apache-2.0
// The functions of muster.h for the context, the store, progress and the end of an attempt.
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/worker/client/rank_context.h"
#include "core/worker/handles.h"

using muster::Duration;
using muster::Result;
using muster::Status;
using muster::worker::Connection;
using muster::worker::End;
using muster::worker::guarded;
using muster::worker::Place;
using muster::worker::RankContext;
using muster::worker::Reply;
using muster::worker::StoreCall;
using muster::worker::wrong;
using Kind = StoreCall::Kind;

struct muster_context {
  std::unique_ptr<RankContext> rank;
};

namespace {

thread_local std::string last_error;
thread_local std::string stop_reason;

Duration seconds(double value) {
  constexpr double kLongest = 1e9;  // 30 years; beyond it nanoseconds overflow
  if (!(value > 0)) return Duration(0);
  return Duration(static_cast<int64_t>(std::min(value, kLongest) * 1e9));
}

Status give(const std::string& text, muster_bytes* bytes) {
  bytes->data = static_cast<char*>(std::malloc(text.size() + 1));
  bytes->size = text.size();
  if (bytes->data == nullptr) throw std::bad_alloc();
  std::memcpy(bytes->data, text.c_str(), text.size() + 1);
  return Status();
}

// Copies all texts or, if there is no memory, none.
Status give_all(const std::vector<std::string>& texts, muster_bytes* values) {
  size_t given = 0;
  try {
    for (; given < texts.size(); ++given) static_cast<void>(give(texts[given], &values[given]));
  } catch (const std::bad_alloc&) {
    while (given-- > 0) muster_bytes_free(&values[given]);
    throw;
  }
  return Status();
}

int64_t number_of(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Status null_argument(const char* call) { return wrong(call, "a required argument is null"); }

std::string_view view(const void* data, size_t size) { return {static_cast<const char*>(data), size}; }

// SIGTERM has the same meaning as the end notice, but its default action would end the program at once.
void take_sigterm_over() {
  struct sigaction now {};
  if (sigaction(SIGTERM, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction quiet {};
  quiet.sa_handler = [](int) {};
  quiet.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &quiet, nullptr);
}

template <typename Act>
muster_code with(muster_context* context, const char* call, Act act) {
  return guarded(call, [&] {
    if (context == nullptr) return wrong(call, "the context is null");
    return act(*context->rank);
  });
}

Result<Reply> ask(RankContext& rank, const char* name, const StoreCall& call) {
  if (call.key.data() == nullptr || (call.value.data() == nullptr && !call.value.empty())) return null_argument(name);
  return rank.ask(call);
}

// Stores the value of the answer in `value`, unless that is null.
muster_code ask(muster_context* context, const char* name, const StoreCall& call, muster_bytes* value) {
  return with(context, name, [&](RankContext& rank) {
    const Result<Reply> reply = ask(rank, name, call);
    return reply.ok() && value != nullptr ? give(reply->value, value) : reply.status();
  });
}

std::optional<End> end_of(muster_context* context, const char* call) {
  std::optional<End> end;
  static_cast<void>(with(context, call, [&](RankContext& rank) {
    end = rank.end();
    return Status();
  }));
  return end;
}

// A null key becomes a view without data, which ask() refuses.
std::string_view key_of(const char* key) { return key == nullptr ? std::string_view() : std::string_view(key); }

}  // namespace

namespace muster::worker {

Meeting& meeting_of(muster_context* context) { return *context->rank; }

muster_code fail(const Status& status) {
  last_error = status.message();
  return static_cast<muster_code>(status.code());
}

}  // namespace muster::worker

extern "C" {

uint32_t muster_abi(void) { return MUSTER_ABI; }
const char* muster_version(void) { return MUSTER_VERSION; }
const char* muster_last_error(void) { return last_error.c_str(); }

muster_code muster_open(muster_context** context) {
  constexpr const char* call = "muster_open";
  return guarded(call, [&] {
    if (context == nullptr) return null_argument(call);
    *context = nullptr;
    Result<Place> place = muster::worker::place_from([](const char* name) { return std::getenv(name); });
    if (!place.ok()) return place.status();
    Result<std::unique_ptr<RankContext>> opened = RankContext::open(std::move(*place));
    if (opened.ok()) *context = new muster_context{std::move(*opened)};
    return opened.status();
  });
}

void muster_close(muster_context* context) { delete context; }

void muster_where(const muster_context* context, muster_place* place) {
  if (context == nullptr || place == nullptr) return;
  const Place& here = context->rank->place();
  *place = {here.rank,          here.world_size, here.local_rank,  here.local_size,     here.node,
            here.asker.attempt, here.restarts,   here.job.c_str(), here.job_id.c_str(), here.group.c_str()};
}

void muster_bytes_free(muster_bytes* bytes) {
  if (bytes == nullptr) return;
  std::free(bytes->data);
  *bytes = {nullptr, 0};
}

muster_code muster_set(muster_context* context, const char* key, const void* value, size_t size) {
  return ask(context, "muster_set", {Kind::set, key_of(key), view(value, size)}, nullptr);
}

muster_code muster_get(muster_context* context, const char* key, muster_bytes* value) {
  constexpr const char* call = "muster_get";
  if (value == nullptr) return guarded(call, [] { return null_argument(call); });
  return ask(context, call, {Kind::get, key_of(key)}, value);
}

muster_code muster_wait(muster_context* context, const char* key, double timeout, muster_bytes* value) {
  StoreCall call{Kind::wait, key_of(key)};
  call.timeout = seconds(timeout);
  return ask(context, "muster_wait", call, value);
}

muster_code muster_add(muster_context* context, const char* key, int64_t amount, int64_t* sum) {
  constexpr const char* name = "muster_add";
  return with(context, name, [&](RankContext& rank) {
    StoreCall call{Kind::add, key_of(key)};
    call.amount = amount;
    const Result<Reply> reply = ask(rank, name, call);
    if (!reply.ok()) return reply.status();
    if (sum != nullptr) *sum = number_of(reply->value);
    return Status();
  });
}

muster_code muster_compare_and_set(muster_context* context, const char* key, const void* expected, size_t expected_size,
                                   const void* desired, size_t desired_size, muster_bytes* value_now) {
  constexpr const char* name = "muster_compare_and_set";
  if (expected == nullptr && expected_size > 0) return guarded(name, [] { return null_argument(name); });
  const StoreCall call{Kind::compare_and_set, key_of(key), view(desired, desired_size), view(expected, expected_size)};
  return ask(context, name, call, value_now);
}

muster_code muster_remove(muster_context* context, const char* key) {
  return ask(context, "muster_remove", {Kind::remove, key_of(key)}, nullptr);
}

muster_code muster_barrier(muster_context* context, const char* name, double timeout) {
  StoreCall call{Kind::barrier, key_of(name)};
  call.timeout = seconds(timeout);
  return ask(context, "muster_barrier", call, nullptr);
}

muster_code muster_fence(muster_context* context, const char* name, const void* value, size_t size, double timeout,
                         muster_bytes* values) {
  constexpr const char* call = "muster_fence";
  return with(context, call, [&](RankContext& rank) {
    if (name == nullptr || values == nullptr || (value == nullptr && size > 0)) return null_argument(call);
    const auto all = rank.fence(name, std::string(view(value, size)), {}, seconds(timeout));
    return all.ok() ? give_all(*all, values) : all.status();
  });
}

muster_code muster_progress(muster_context* context, uint64_t step, uint64_t total, const muster_metric* metrics,
                            size_t metric_count) {
  constexpr const char* call = "muster_progress";
  return with(context, call, [&](RankContext& rank) {
    if (metrics == nullptr && metric_count > 0) return null_argument(call);
    muster::worker::Progress progress{step, total, {}};
    for (size_t i = 0; i < metric_count; ++i) {
      if (metrics[i].name == nullptr) return null_argument(call);
      progress.metrics[metrics[i].name] = metrics[i].value;
    }
    return rank.tell(progress);
  });
}

int muster_should_stop(muster_context* context) {
  static std::once_flag once;
  std::call_once(once, take_sigterm_over);
  return end_of(context, "muster_should_stop") ? 1 : 0;
}

const char* muster_stop_reason(muster_context* context) {
  const std::optional<End> end = end_of(context, "muster_stop_reason");
  stop_reason = end ? end->why : "";
  return stop_reason.c_str();
}

double muster_stop_grace(muster_context* context) {
  const std::optional<End> end = end_of(context, "muster_stop_grace");
  if (!end) return std::numeric_limits<double>::infinity();
  const std::chrono::duration<double> left = end->grace_until - Connection::Clock::now();
  return std::max(left.count(), 0.0);
}

muster_code muster_rejoin(muster_context* context) {
  return with(context, "muster_rejoin", [](RankContext& rank) { return rank.rejoin(); });
}

}  // extern "C"
