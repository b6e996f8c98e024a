// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "layers.h"
#include "network.h"
#include "simd.h"

namespace fm {
namespace {

constexpr int kHalf = kSize / 2, kQuarter = kSize / 4;

void descend(float* parameters, float* velocities, const std::int32_t* gradients, float rate, float momentum) {
  for (std::size_t i = 0; i < kParameters; ++i) {
    velocities[i] = momentum * velocities[i] + static_cast<float>(gradients[i]) / kOne;
    parameters[i] -= rate * velocities[i];
  }
}

// Adds a pack's sums as its share of the batch's mean. Rounding is done per pack: slices consist of whole packs, so any
// number of ranks rounds the same numbers.
void add_share(const float* sums, std::size_t count, std::size_t images, std::size_t batch, std::int32_t* shares) {
  const float factor = kOne / static_cast<float>(batch), most = kMost * static_cast<float>(images) * factor;
  for (std::size_t i = 0; i < count; ++i) {
    const float share = sums[i] * factor, above = share > -most ? share : -most;
    shares[i] += static_cast<std::int32_t>(above < most ? above : most);
  }
}

class CpuNetwork final : public Network {
 public:
  explicit CpuNetwork(std::size_t capacity)
      : capacity_(capacity),
        state_(kState),
        gradients_(kParameters),
        shares_(kShares) {}

  float* state() override { return state_.data(); }
  std::int32_t* shares() override { return shares_.data(); }
  void learn(const Selection& some, std::size_t batch, bool stop) override;
  void judge(const Selection& some, std::size_t batch) override;
  void update(float rate, float momentum) override {
    descend(state(), state() + kParameters, shares(), rate, momentum);
  }
  std::vector<float> copy_state() override { return state_; }
  void set_state(const std::vector<float>& state) override { state_ = state; }
  std::vector<std::int32_t> copy_counts() override { return {shares_.begin() + kParameters, shares_.end()}; }

 private:
  void resize(std::size_t count);
  void load(const Selection& some);
  void forward(const Selection& some);
  void score(const Selection& some, std::size_t batch);
  void score_one(int image, int label, float* counts);
  void backward(std::size_t count, std::size_t batch);
  void backward_pack(int pack, const Maps& to_middle);
  Maps features(int pack, std::vector<float>& array) {
    return {array.data() + pack * kLanes, kQuarter * kQuarter * images_, kQuarter * images_, images_};
  }

  const float* parameter(std::size_t at) const { return state_.data() + at; }
  float* gradient(std::size_t at) { return gradients_.data() + at; }

  std::size_t capacity_;
  std::vector<float> state_;
  std::vector<float> gradients_;  // of one pack
  std::vector<std::int32_t> shares_;
  Convolution first_{1, kFirstMaps, kSize}, second_{kFirstMaps, kSecondMaps, kHalf};
  Dense third_{kFeatures, kHidden}, fourth_{kHidden, kScores};

  int images_ = 0;                       // images of this call, including the empty lanes of the last pack
  std::vector<float> inputs_, middles_;  // of each pack, with border
  std::vector<std::uint8_t> first_choices_, second_choices_;
  std::vector<float> features_, hidden_, scores_;                       // [value][image]
  std::vector<float> to_scores_, to_hidden_, to_features_, to_middle_;  // gradients
};

void CpuNetwork::resize(std::size_t count) {
  const int images = round_to_lanes(static_cast<int>(count)), packs = images / kLanes;
  if (images == images_) return;
  images_ = images;
  inputs_.assign(static_cast<std::size_t>(packs) * first_.framed(), 0.0F);
  middles_.assign(static_cast<std::size_t>(packs) * second_.framed(), 0.0F);
  first_choices_.resize(static_cast<std::size_t>(packs) * first_.choices());
  second_choices_.resize(static_cast<std::size_t>(packs) * second_.choices());
  features_.resize(static_cast<std::size_t>(images) * kFeatures);
  hidden_.resize(static_cast<std::size_t>(images) * kHidden);
  scores_.resize(static_cast<std::size_t>(images) * kScores);
  to_features_.resize(features_.size());
  to_hidden_.resize(hidden_.size());
  to_scores_.resize(scores_.size());
  to_middle_.resize(static_cast<std::size_t>(kFirstMaps) * kHalf * kHalf * kLanes);
}

// Lanes without an image keep their old values: score() gives them no gradient and does not count them.
void CpuNetwork::load(const Selection& some) {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> all{};
    for (int byte = 0; byte < 256; ++byte) all[byte] = scaled(byte);
    return all;
  }();
  for (std::size_t i = 0; i < some.count; ++i) {
    const Maps to = first_.inside(inputs_.data() + i / kLanes * first_.framed());
    const std::uint8_t* pixels = some.data.pixels.data() + std::size_t{some.images[i]} * kPixels;
    for (int y = 0; y < kSize; ++y) {
      float* line = to.data + y * to.line + i % kLanes;
      for (int x = 0; x < kSize; ++x) line[x * to.pixel] = values[*pixels++];
    }
  }
}

void CpuNetwork::forward(const Selection& some) {
  resize(some.count);
  load(some);
  for (int pack = 0; pack < images_ / kLanes; ++pack) {
    float* middle = middles_.data() + static_cast<std::size_t>(pack) * second_.framed();
    first_.forward(parameter(kWeights1), parameter(kBias1),
                   inputs_.data() + static_cast<std::size_t>(pack) * first_.framed(), second_.inside(middle),
                   first_choices_.data() + static_cast<std::size_t>(pack) * first_.choices());
    second_.forward(parameter(kWeights2), parameter(kBias2), middle, features(pack, features_),
                    second_choices_.data() + static_cast<std::size_t>(pack) * second_.choices());
  }
  third_.forward(parameter(kWeights3), parameter(kBias3), features_.data(), images_, hidden_.data());
  relu(hidden_.data(), images_ * kHidden);
  fourth_.forward(parameter(kWeights4), parameter(kBias4), hidden_.data(), images_, scores_.data());
}

void CpuNetwork::score(const Selection& some, std::size_t batch) {
  std::fill(to_scores_.begin(), to_scores_.end(), 0.0F);
  for (std::size_t first = 0; first < some.count; first += kLanes) {
    const std::size_t end = std::min(some.count, first + kLanes);
    float counts[2] = {0, 0};
    for (std::size_t i = first; i < end; ++i) score_one(static_cast<int>(i), some.data.labels[some.images[i]], counts);
    add_share(counts, 2, end - first, batch, shares_.data() + kLoss);
  }
}

// Cross entropy of softmax, and its gradient: probability minus 1 for the label, probability for the others.
void CpuNetwork::score_one(int image, int label, float* counts) {
  float scores[kClasses], powers[kClasses], sum = 0;
  for (int c = 0; c < kClasses; ++c) scores[c] = scores_[c * images_ + image];
  const float* const best = std::max_element(scores, scores + kClasses);
  for (int c = 0; c < kClasses; ++c) sum += powers[c] = std::exp(scores[c] - *best);
  for (int c = 0; c < kClasses; ++c) to_scores_[c * images_ + image] = powers[c] / sum - (c == label ? 1.0F : 0.0F);
  counts[0] += std::log(sum) - (scores[label] - *best);
  counts[1] += best - scores == label ? 1.0F : 0.0F;
}

void CpuNetwork::backward_pack(int pack, const Maps& to_middle) {
  const int first = pack * kLanes;
  fourth_.take_gradients(hidden_.data(), to_scores_.data(), images_, first, gradient(kWeights4), gradient(kBias4));
  third_.take_gradients(features_.data(), to_hidden_.data(), images_, first, gradient(kWeights3), gradient(kBias3));
  second_.backward(parameter(kWeights2), middles_.data() + static_cast<std::size_t>(pack) * second_.framed(),
                   features(pack, to_features_),
                   second_choices_.data() + static_cast<std::size_t>(pack) * second_.choices(), to_middle);
  first_.backward(parameter(kWeights1), inputs_.data() + static_cast<std::size_t>(pack) * first_.framed(), to_middle,
                  first_choices_.data() + static_cast<std::size_t>(pack) * first_.choices(), {});
  second_.take_gradients(gradient(kWeights2), gradient(kBias2));
  first_.take_gradients(gradient(kWeights1), gradient(kBias1));
}

void CpuNetwork::backward(std::size_t count, std::size_t batch) {
  fourth_.backward(parameter(kWeights4), to_scores_.data(), images_, to_hidden_.data());
  relu_back(hidden_.data(), images_ * kHidden, to_hidden_.data());
  third_.backward(parameter(kWeights3), to_hidden_.data(), images_, to_features_.data());
  const std::ptrdiff_t line = kHalf * kLanes;
  for (std::size_t first = 0; first < count; first += kLanes) {
    backward_pack(static_cast<int>(first / kLanes), {to_middle_.data(), kHalf * line, line, kLanes});
    add_share(gradients_.data(), kParameters, std::min<std::size_t>(kLanes, count - first), batch, shares_.data());
  }
}

void CpuNetwork::learn(const Selection& some, std::size_t batch, bool stop) {
  std::fill(shares_.begin(), shares_.end(), 0);
  shares_[kStopVotes] = stop ? 1 : 0;
  if (some.count == 0) return;  // more ranks than images: this rank adds nothing
  forward(some);
  score(some, batch);
  backward(some.count, batch);
}

void CpuNetwork::judge(const Selection& some, std::size_t batch) {
  std::fill(shares_.begin() + kParameters, shares_.end(), 0);
  for (std::size_t begin = 0; begin < some.count; begin += capacity_) {
    const Selection piece{some.data, some.images + begin, std::min(capacity_, some.count - begin)};
    forward(piece);
    score(piece, batch);
  }
}

}  // namespace

std::unique_ptr<Network> make_cpu_network(std::size_t capacity) { return std::make_unique<CpuNetwork>(capacity); }

}  // namespace fm
