// RankProbe: looks at a rank from outside its process. Nothing in a look depends on the rank or can be held up by it; no look
// changes what it sees. Loop thread only.
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

  // thorough: RankActivity too, but for its calls. `outputs`: the files of its output.
  virtual RankSample look(int64_t pid, const std::vector<std::string>& outputs, bool thorough) = 0;

  // Where its threads stand. `tell` in later turns, within some seconds, and again as long as there is `more` to come; never
  // after our end.
  using Tell = std::function<void(const RankLocation& standing, bool more)>;
  virtual void examine(int64_t pid, Tell tell) = 0;
};

}  // namespace muster
