// SPDX-License-Identifier: Apache-2.0
// NodeLease: an agent's time-limited permission to run ranks, if the backend can replace nodes (docs/design/liveness.md).
// Pure.
//
// Reports are numbered, and the coordinator echoes the highest number that it has received. The lease starts when the echoed
// report was sent, however long the echo took. The coordinator counts from when it received the report. So the agent's
// lease always ends before the coordinator gives up the node. Times are on the agent's clock, which also counts while its
// host sleeps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/base/time.h"

namespace muster {

class NodeLease {
 public:
  // Returns the number of a Report or Hello that is sent now.
  uint64_t beat(TimePoint now);

  // `length` 0: no lease is needed, and ended() is always false.
  void grant(Duration length) { length_ = length; }
  // The coordinator has echoed this number.
  void heard(uint64_t beat);

  bool ended(TimePoint now) const { return length_ > Duration(0) && (!proven_ || now >= *proven_ + length_); }
  // The time since the lease ended; 0: it has not ended.
  Duration over(TimePoint now) const { return ended(now) && proven_ ? now - (*proven_ + length_) : Duration(0); }
  Duration length() const { return length_; }

 private:
  Duration length_{0};
  uint64_t last_beat_ = 0;
  std::optional<TimePoint> proven_;     // when the newest echoed report was sent
  std::map<uint64_t, TimePoint> sent_;  // reports without an echo yet; at most 1024
};

}  // namespace muster
