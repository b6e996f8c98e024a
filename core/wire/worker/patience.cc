#include "core/wire/worker/patience.h"

#include <algorithm>

namespace muster {
namespace {

// Of so many times one is a try, where looking is not worth it.
constexpr uint32_t kTry = 32;

}  // namespace

bool Patience::next() { return left_ > 0 || ++skipped_ % kTry == 0; }

void Patience::was_worth_it(bool it_was) {
  if (it_was) {
    left_ = std::min(left_ + 2, kMost);
  } else if (left_ > 0) {
    --left_;
  }
}

}  // namespace muster
