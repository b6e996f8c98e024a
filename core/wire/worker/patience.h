// Patience: whether an agent that has answered every question looks on for some microseconds before it sleeps. Where
// ranks ask one thing after the other that saves both sides a wake-up, the greater part of a short call; where they
// compute in between, or want its CPU, it takes time from them. So it looks as long as that finds something, and tries
// again once in a while. A value; one thread at a time.
#pragma once

#include <cstdint>

namespace muster {

class Patience {
 public:
  // Whether to look this time.
  bool next();
  // Whether a look found a question.
  void was_worth_it(bool it_was);

 private:
  static constexpr uint32_t kMost = 16;
  uint32_t left_ = kMost / 2;  // looks in vain until there are no more
  uint32_t skipped_ = 0;
};

}  // namespace muster
