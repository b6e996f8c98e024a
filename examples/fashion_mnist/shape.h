// The network's shape, the same for every implementation, and where its parameters lie in flat arrays.
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
constexpr int kScores = 16;   // the last layer has six more that nothing reads: vectors want a multiple of 16

// Parameters and gradients are each one array in this order.
constexpr std::size_t kWeights1 = 0;  // [map][3][3]
constexpr std::size_t kBias1 = kWeights1 + kFirstMaps * 9;
constexpr std::size_t kWeights2 = kBias1 + kFirstMaps;  // [map][first map][3][3]
constexpr std::size_t kBias2 = kWeights2 + kSecondMaps * kFirstMaps * 9;
constexpr std::size_t kWeights3 = kBias2 + kSecondMaps;  // [feature][hidden]
constexpr std::size_t kBias3 = kWeights3 + kFeatures * kHidden;
constexpr std::size_t kWeights4 = kBias3 + kHidden;  // [hidden][score]
constexpr std::size_t kBias4 = kWeights4 + kHidden * kScores;
constexpr std::size_t kParameters = kBias4 + kScores;

// Behind the gradients, in the same array, so that one all_reduce sums everything of a step.
enum Counts : std::size_t { kLoss = kParameters, kRight, kStopVotes, kShares };

// Ranks add up means over the global batch as whole numbers of 2^-27: each adds its share. Sums of floats depend on
// their order, and training blows up the last bit of a weight to a tenth of the loss within a hundred steps; sums of
// whole numbers do not. Larger than kMost no mean of a pack's gradients becomes, so that no sum leaves 32 bits.
constexpr float kOne = 134217728.0F, kMost = 15.0F;

// What a pixel's byte is to the network: minus the mean of the training set, over its deviation.
constexpr float kMean = 0.286F, kDeviation = 0.353F;
constexpr float scaled(int byte) { return (static_cast<float>(byte) / 255.0F - kMean) / kDeviation; }

}  // namespace fm
