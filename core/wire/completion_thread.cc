// SPDX-License-Identifier: Apache-2.0
#include "core/wire/completion_thread.h"

#include <utility>

namespace muster {
namespace {

struct Work {
  std::function<void(bool)> then;
  std::atomic<bool>* arrived = nullptr;
  bool kept = false;
};

}  // namespace

CompletionThread::CompletionThread(Loop& loop, std::unique_ptr<grpc::CompletionQueue> queue)
    : gate_(loop),
      queue_(std::move(queue)),
      thread_([this] { run(); }) {}

CompletionThread::~CompletionThread() { join(); }

void* CompletionThread::tag(std::function<void(bool ok)> then) { return new Work{std::move(then)}; }

void* CompletionThread::kept_tag(std::function<void(bool ok)> then) { return new Work{std::move(then), nullptr, true}; }

void* CompletionThread::arrival_tag(std::function<void(bool ok)> then, std::atomic<bool>& arrived) {
  return new Work{std::move(then), &arrived};
}

void CompletionThread::drop(void* kept_tag) { delete static_cast<Work*>(kept_tag); }

void CompletionThread::run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    auto* work = static_cast<Work*>(tag);
    if (work->arrived != nullptr && ok) work->arrived->store(true);
    auto then = work->kept ? work->then : std::move(work->then);
    if (!work->kept) delete work;
    // `work` must not be used after this: a kept tag may be dropped at once.
    gate_.post([then = std::move(then), ok] { then(ok); });
  }
}

void CompletionThread::join() {
  if (!thread_.joinable()) return;
  silence();
  queue_->Shutdown();
  thread_.join();
}

}  // namespace muster
