// The functions of muster.h on context and store.
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/worker/client/rank_context.h"
#include "core/worker/handles.h"

using muster::Code;
using muster::Duration;
using muster::Result;
using muster::Status;
using muster::worker::fail;
using muster::worker::Place;
using muster::worker::RankContext;
using muster::worker::Reply;
using muster::worker::StoreCall;
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

bool give(const std::string& text, muster_bytes* bytes) {
  bytes->data = static_cast<char*>(std::malloc(text.size() + 1));
  bytes->size = text.size();
  if (bytes->data == nullptr) return false;
  std::memcpy(bytes->data, text.c_str(), text.size() + 1);
  return true;
}

muster_code no_memory() { return fail(Status(Code::resource_exhausted, "no memory for a value of the store")); }

muster_code null_argument(const char* call) {
  return fail(Status(Code::invalid_argument, std::string(call) + " got a null pointer where it needs one"));
}

std::string_view view(const void* data, size_t size) { return {static_cast<const char*>(data), size}; }

// SIGTERM says the same as the notice; its default would end the program before it can act on it.
void take_sigterm_over() {
  struct sigaction now {};
  if (sigaction(SIGTERM, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction quiet {};
  quiet.sa_handler = [](int) {};
  quiet.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &quiet, nullptr);
}

muster_code ask(muster_context* context, const char* name, const StoreCall& call, muster_bytes* value) {
  if (context == nullptr || call.key.data() == nullptr || (call.value.data() == nullptr && !call.value.empty()))
    return null_argument(name);
  const Result<Reply> reply = context->rank->ask(call);
  if (!reply.ok()) return fail(reply.status());
  return value == nullptr || give(reply->value, value) ? MUSTER_OK : no_memory();
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
  if (context == nullptr) return null_argument("muster_open");
  *context = nullptr;
  Result<Place> place = muster::worker::place_from([](const char* name) { return std::getenv(name); });
  if (!place.ok()) return fail(place.status());
  Result<std::unique_ptr<RankContext>> opened = RankContext::open(std::move(*place));
  if (!opened.ok()) return fail(opened.status());
  *context = new muster_context{std::move(*opened)};
  return MUSTER_OK;
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
  if (value == nullptr) return null_argument("muster_get");
  return ask(context, "muster_get", {Kind::get, key_of(key)}, value);
}

muster_code muster_wait(muster_context* context, const char* key, double timeout, muster_bytes* value) {
  StoreCall call{Kind::wait, key_of(key)};
  call.timeout = seconds(timeout);
  return ask(context, "muster_wait", call, value);
}

muster_code muster_add(muster_context* context, const char* key, int64_t amount, int64_t* sum) {
  StoreCall call{Kind::add, key_of(key)};
  call.amount = amount;
  muster_bytes text{nullptr, 0};
  if (const muster_code code = ask(context, "muster_add", call, &text); code != MUSTER_OK) return code;
  if (sum != nullptr) *sum = std::strtoll(text.data, nullptr, 10);
  muster_bytes_free(&text);
  return MUSTER_OK;
}

muster_code muster_compare_and_set(muster_context* context, const char* key, const void* expected, size_t expected_size,
                                   const void* desired, size_t desired_size, muster_bytes* value_now) {
  if (expected == nullptr && expected_size > 0) return null_argument("muster_compare_and_set");
  const StoreCall call{Kind::compare_and_set, key_of(key), view(desired, desired_size), view(expected, expected_size)};
  return ask(context, "muster_compare_and_set", call, value_now);
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
  if (context == nullptr || name == nullptr || values == nullptr || (value == nullptr && size > 0))
    return null_argument("muster_fence");
  const auto all = context->rank->fence(name, std::string(view(value, size)), {}, seconds(timeout));
  if (!all.ok()) return fail(all.status());
  for (size_t i = 0; i < all->size(); ++i) {
    if (give((*all)[i], &values[i])) continue;
    while (i-- > 0) muster_bytes_free(&values[i]);
    return no_memory();
  }
  return MUSTER_OK;
}

muster_code muster_progress(muster_context* context, uint64_t step, uint64_t total, const muster_metric* metrics,
                            size_t metric_count) {
  if (context == nullptr || (metrics == nullptr && metric_count > 0)) return null_argument("muster_progress");
  muster::worker::Progress progress{step, total, {}};
  for (size_t i = 0; i < metric_count; ++i) {
    if (metrics[i].name == nullptr) return null_argument("muster_progress");
    progress.metrics[metrics[i].name] = metrics[i].value;
  }
  const Status told = context->rank->tell(progress);
  return told.ok() ? MUSTER_OK : fail(told);
}

int muster_should_stop(muster_context* context) {
  static std::once_flag once;
  std::call_once(once, take_sigterm_over);
  return context != nullptr && context->rank->end() ? 1 : 0;
}

const char* muster_stop_reason(muster_context* context) {
  stop_reason = context == nullptr ? "" : context->rank->end().value_or("");
  return stop_reason.c_str();
}

muster_code muster_rejoin(muster_context* context) {
  if (context == nullptr) return null_argument("muster_rejoin");
  const Status joined = context->rank->rejoin();
  return joined.ok() ? MUSTER_OK : fail(joined);
}

}  // extern "C"
