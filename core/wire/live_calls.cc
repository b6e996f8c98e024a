// SPDX-License-Identifier: Apache-2.0
#include "core/wire/live_calls.h"

#include <utility>

namespace muster {

void* LiveCall::tag(std::function<void(bool ok)> then) { return CompletionThread::tag(completion(std::move(then))); }

void* LiveCall::arrival_tag(std::function<void(bool ok)> then) {
  return CompletionThread::arrival_tag(completion(std::move(then)), arrived_);
}

void* LiveCall::kept_tag(std::function<void(bool ok)> then) {
  return CompletionThread::kept_tag(completion(std::move(then)));
}

std::function<void(bool)> LiveCall::completion(std::function<void(bool)> then) {
  ++pending_;
  return [self = shared_from_this(), then = std::move(then)](bool ok) { self->complete(then, ok); };
}

void LiveCall::complete(const std::function<void(bool)>& then, bool ok) {
  if (forgotten_) return;
  --pending_;
  then(ok);
  if (forgotten_ || pending_ > 0 || !finished_) return;
  calls_.remove(shared_from_this());
  forget();
}

void LiveCall::forget() {
  if (std::exchange(forgotten_, true)) return;
  finished_ = true;
  free_grpc();
}

LiveCalls::LiveCalls(Loop& loop, std::unique_ptr<grpc::ServerCompletionQueue> queue)
    : queue_(queue.get()),
      thread_(loop, std::move(queue)) {}

LiveCalls::~LiveCalls() { forget_all(); }

void LiveCalls::abandon_all() {
  thread_.silence();
  for (const auto& call : calls_) call->abandon();
}

void LiveCalls::forget_all() {
  thread_.join();
  const auto calls = std::exchange(calls_, {});
  for (const auto& call : calls) call->forget();
}

}  // namespace muster
