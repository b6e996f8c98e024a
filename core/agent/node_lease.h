// NodeLease: an agent's permission to run ranks where they may be placed elsewhere (DESIGN.md §5). Pure.
//
// Reports are numbered, and a coordinator echoes the highest number it has heard. An echo proves that it heard us after
// that report was sent, so the lease runs from there, however long the echo travelled: the coordinator, which counts
// from when it heard, gives us up later than we give up ourselves. Times are the agent's own, on a clock that goes on
// while its host sleeps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/base/time.h"

namespace muster {

class NodeLease {
 public:
  // The number for a report or hello sent now.
  uint64_t beat(TimePoint now);

  // `length` 0: none is needed, it never ends.
  void grant(Duration length) { length_ = length; }
  void heard(uint64_t beat);

  bool ended(TimePoint now) const { return length_ > Duration(0) && (!proven_ || now >= *proven_ + length_); }
  // Since when it has; 0: it has not.
  Duration over(TimePoint now) const { return ended(now) && proven_ ? now - (*proven_ + length_) : Duration(0); }
  Duration length() const { return length_; }

 private:
  Duration length_{0};
  uint64_t last_beat_ = 0;
  std::optional<TimePoint> proven_;     // when the newest report was sent that we know was heard
  std::map<uint64_t, TimePoint> sent_;  // not yet echoed; the oldest are forgotten
};

}  // namespace muster
