// SPDX-License-Identifier: Apache-2.0
// Progress: steps and metrics that the program of a rank reported. A value.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace muster {

constexpr size_t kMostMetrics = 16;
constexpr size_t kLongestMetric = 64;  // bytes of a name

struct Progress {
  uint64_t step = 0;
  uint64_t total = 0;  // 0: unknown
  std::map<std::string, double> metrics;
  bool operator==(const Progress&) const = default;
};

}  // namespace muster
