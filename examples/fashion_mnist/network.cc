// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <cmath>

#include "schedule.h"

namespace fm {
namespace {

void fill(std::vector<float>& state, std::size_t from, int count, int inputs, Random& random) {
  const float bound = 1.0F / std::sqrt(static_cast<float>(inputs));
  for (int i = 0; i < count; ++i) state[from + i] = bound * (2.0F * random.unit() - 1.0F);
}

}  // namespace

std::vector<float> first_state(std::uint64_t seed) {
  std::vector<float> state(kState, 0.0F);
  Random random(seed);
  fill(state, kWeights1, kFirstMaps * 9 + kFirstMaps, 9, random);
  fill(state, kWeights2, kSecondMaps * kFirstMaps * 9 + kSecondMaps, kFirstMaps * 9, random);
  fill(state, kWeights3, kFeatures * kHidden + kHidden, kFeatures, random);
  for (int i = 0; i <= kHidden; ++i)
    fill(state, kWeights4 + i * kScores, kClasses, kHidden, random);  // the biases follow the weights
  return state;
}

}  // namespace fm
