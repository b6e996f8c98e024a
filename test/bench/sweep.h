// SPDX-License-Identifier: Apache-2.0
// The sizes of the figure all_reduce, the same for all its sides (all_reduce_torch.py has a copy).
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "report.h"

namespace bench {

struct Size {
  const char* name;
  size_t count;  // of floats
  int warm, times;
};

constexpr Size kSizes[] = {{"4B", 1, 300, 2000}, {"1MiB", 1 << 18, 10, 100}, {"64MiB", 1 << 24, 1, 4}};

// all_reduce(float*, count): the sum of 2 ranks, in place.
template <typename AllReduce>
void sweep(Report& report, AllReduce all_reduce) {
  for (const Size& size : kSizes) {
    std::vector<float> values(size.count, 1.0F);
    all_reduce(values.data(), size.count);
    if (values.front() != 2.0F || values.back() != 2.0F) {
      std::cerr << "all_reduce of " << size.name << " gave a wrong sum\n";
      std::exit(1);
    }
    values.assign(size.count, 0.0F);  // zeros, so the sums stay finite
    const auto act = [&] { all_reduce(values.data(), size.count); };
    for (int i = 0; i < size.warm; ++i) act();
    report.loop(size.name, size.times, act);
    report.calls(size.name, size.times, act);
  }
}

}  // namespace bench
