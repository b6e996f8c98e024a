// SPDX-License-Identifier: Apache-2.0
// The shape of the network, and the position of its parameters in flat arrays; the same for all implementations.
#pragma once

#include <cstddef>

namespace fm {

constexpr int kSize = 28;  // pixels of an image's side
constexpr int kPixels = kSize * kSize;
constexpr int kFirstMaps = 16;   // conv 3×3, relu, pool 2×2: 14×14
constexpr int kSecondMaps = 32;  // conv 3×3, relu, pool 2×2: 7×7
constexpr int kFeatures = kSecondMaps * (kSize / 4) * (kSize / 4);
constexpr int kHidden = 64;   // fully connected, relu
constexpr int kClasses = 10;  // fully connected
constexpr int kScores = 16;   // the last layer has six unused outputs, because vectors need a multiple of 16

// Parameters and gradients are arrays in this order.
constexpr std::size_t kWeights1 = 0;  // [map][3][3]
constexpr std::size_t kBias1 = kWeights1 + kFirstMaps * 9;
constexpr std::size_t kWeights2 = kBias1 + kFirstMaps;  // [map][first map][3][3]
constexpr std::size_t kBias2 = kWeights2 + kSecondMaps * kFirstMaps * 9;
constexpr std::size_t kWeights3 = kBias2 + kSecondMaps;  // [feature][hidden]
constexpr std::size_t kBias3 = kWeights3 + kFeatures * kHidden;
constexpr std::size_t kWeights4 = kBias3 + kHidden;  // [hidden][score]
constexpr std::size_t kBias4 = kWeights4 + kHidden * kScores;
constexpr std::size_t kParameters = kBias4 + kScores;

// These follow the gradients in the same array, so that one all_reduce sums everything of a step.
enum Counts : std::size_t { kLoss = kParameters, kRight, kStopVotes, kShares };

// Means over the global batch are sums of whole numbers in units of 2^-27, to which each rank adds its share. The sum of whole
// numbers does not depend on the order; sums of floats do, and within a hundred steps training magnifies a difference in the
// last bit to a tenth of the loss. The mean of a pack's gradients is cut to ±kMost, so that sums fit in 32 bits.
constexpr float kOne = 134217728.0F, kMost = 15.0F;

// The value of a pixel's byte in the network: minus the mean of the training set, divided by its deviation.
constexpr float kMean = 0.286F, kDeviation = 0.353F;
constexpr float scaled(int byte) { return (static_cast<float>(byte) / 255.0F - kMean) / kDeviation; }

}  // namespace fm
