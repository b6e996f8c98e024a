// SPDX-License-Identifier: Apache-2.0
#include "core/controller/viewers.h"

namespace muster {

void Viewers::add(FollowedJob job, const FollowRequest& request, std::unique_ptr<FollowSink> sink) {
  const uint64_t number = next_++;
  sessions_[number] = std::make_unique<FollowSession>(loop_, files_, std::move(job), request, std::move(sink),
                                                      [this, number] { leave(number); });
  sessions_[number]->job_changed();
}

// In a later turn of the loop: this is called from a handler of the session.
void Viewers::leave(uint64_t number) {
  loop_.post([this, alive = alive_, number] {
    if (!*alive) return;
    sessions_.erase(number);
    left_();
  });
}

void Viewers::job_changed(const JobId& job) {
  for (const auto& [number, session] : sessions_) {
    if (session->job() == job) session->job_changed();
  }
}

}  // namespace muster
