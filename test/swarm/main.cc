// A first driver.
#include <cstdlib>
#include <iostream>

#include "test/sim/story.h"

int main(int argc, char** argv) {
  using namespace muster::sim;
  const uint64_t from = std::strtoull(argv[1], nullptr, 10), to = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t seed = from; seed <= to; ++seed) {
    const StoryPlan plan = plan_of(seed);
    Trace trace;
    Story story(plan, argc > 3 ? &trace : nullptr);
    const StoryEnd end = story.unfold();
    if (argc > 3) std::cout << to_text(plan);
    if (argc > 3) trace.print(std::cout);
    if (!end.breaches.empty()) std::cout << "seed " << seed << "\n";
    for (const auto& breach : end.breaches) std::cout << "  " << breach << "\n";
  }
}
