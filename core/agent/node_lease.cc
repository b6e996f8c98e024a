// SPDX-License-Identifier: Apache-2.0
#include "core/agent/node_lease.h"

#include <algorithm>

namespace muster {
namespace {

// Only so many reports are remembered. The echo of a forgotten one is ignored.
constexpr size_t kMostSent = 1024;

}  // namespace

uint64_t NodeLease::beat(TimePoint now) {
  if (sent_.size() >= kMostSent) sent_.erase(sent_.begin());
  sent_[++last_beat_] = now;
  return last_beat_;
}

void NodeLease::heard(uint64_t beat) {
  const auto found = sent_.find(beat);
  if (found == sent_.end()) return;
  proven_ = std::max(proven_.value_or(found->second), found->second);
  sent_.erase(sent_.begin(), std::next(found));
}

}  // namespace muster
