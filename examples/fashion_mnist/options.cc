// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace fm {

const char* const kHelp =
    R"(Trains a small convolutional network on Fashion-MNIST, data-parallel, on the ranks of a muster job.

  muster run -n 2 -- fashion_mnist --epochs 5
  muster run -n 4 -- fashion_mnist --batch 256 --learning-rate 0.15 --checkpoint shared/run.fm

  --epochs N            passes over the 60,000 images (5)
  --batch N             images per step of all ranks together (128)
  --learning-rate X     learning rate of the first step; it falls linearly to 0 (0.1)
  --seed N              seed of the first weights and of the order of the images (1)
  --data FOLDER         folder of the four idx.gz files (/usr/share/datasets/fashion-mnist)
  --checkpoint FILE     file to resume from; written after each epoch and on a stop (.checkpoints/JOB.fm)
  --losses FILE         file to which rank 0 writes the loss of every step
)";

namespace {

std::uint64_t whole(const std::string& option, const std::string& text, std::uint64_t least, std::uint64_t most,
                    const char* example) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < least || value > most) {
    throw UsageError(option + " is \"" + text + "\", but must be a whole number from " + std::to_string(least) +
                     " to " + std::to_string(most) + "; for example " + option + " " + example);
  }
  return value;
}

float positive(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value <= 0) {
    throw UsageError(option + " is \"" + text + "\", but must be a number above 0; for example " + option + " 0.1");
  }
  return value;
}

void set(Options& options, const std::string& option, const std::string& value) {
  if (option == "--epochs")
    options.epochs = whole(option, value, 1, 10'000, "5");
  else if (option == "--batch")
    options.batch = whole(option, value, 1, 60'000, "128");
  else if (option == "--learning-rate")
    options.rate = positive(option, value);
  else if (option == "--seed")
    options.seed = whole(option, value, 0, 1'000'000'000, "1");
  else if (option == "--data")
    options.data = value;
  else if (option == "--checkpoint")
    options.checkpoint = value;
  else if (option == "--losses")
    options.losses = value;
  else
    throw UsageError("unknown option " + option + "; fashion_mnist --help lists the options");
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (auto at = arguments.begin(); at != arguments.end(); ++at) {
    if (*at == "--help" || *at == "-h") {
      options.help = true;
      return options;
    }
    const std::size_t equals = at->find('=');
    if (equals != std::string::npos) {
      set(options, at->substr(0, equals), at->substr(equals + 1));
    } else {
      const std::string& option = *at;
      if (++at == arguments.end()) throw UsageError(option + " needs a value; fashion_mnist --help lists the options");
      set(options, option, *at);
    }
  }
  return options;
}

}  // namespace fm
