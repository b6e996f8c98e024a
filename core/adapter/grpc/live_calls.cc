#include "core/adapter/grpc/live_calls.h"

#include <utility>
#include <vector>

namespace muster {

bool LiveCalls::add(std::shared_ptr<LiveCall> call) {
  const std::lock_guard lock(mutex_);
  if (open_) calls_.emplace(call.get(), call);
  return open_;
}

void LiveCalls::remove(const LiveCall* call) {
  std::shared_ptr<LiveCall> last;  // destroyed after the lock is given back
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;
  last = std::move(found->second);
  calls_.erase(found);
}

void LiveCalls::close() {
  gate_.close();
  std::vector<std::shared_ptr<LiveCall>> calls;
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
    for (const auto& [key, call] : calls_) calls.push_back(call);
  }
  for (const auto& call : calls) call->abandon();
}

}  // namespace muster
