// SPDX-License-Identifier: Apache-2.0
// RankProbe: samples a rank from outside its process. A sample needs no cooperation of the rank, cannot be blocked by it, and does
// not change it. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/rank/finding.h"
#include "core/rank/rank_sample.h"

namespace muster {

class RankProbe {
 public:
  virtual ~RankProbe() = default;

  // thorough: a full sample, with RankActivity except its calls. `outputs`: the files of its output.
  virtual RankSample look(int64_t pid, const std::vector<std::string>& outputs, bool thorough) = 0;

  // Examines the location of its threads. `tell` runs in later turns, within seconds, and again as long as `more` follows; never
  // after the probe's destruction.
  using Tell = std::function<void(const RankLocation& standing, bool more)>;
  virtual void examine(int64_t pid, Tell tell) = 0;
};

}  // namespace muster
