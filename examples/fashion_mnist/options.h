// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace fm {

struct Options {
  std::uint64_t epochs = 5;
  std::size_t batch = 128;  // images per step of all ranks together
  float rate = 0.1F;
  std::uint64_t seed = 1;
  std::string data = "/usr/share/datasets/fashion-mnist";  // where Debian's package dataset-fashion-mnist puts it
  std::string checkpoint;                                  // empty: .checkpoints/JOB.fm
  std::string losses;                                      // empty: none
  bool help = false;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws UsageError with a message that names the option, the value, the problem and a valid value.
Options parse_options(const std::vector<std::string>& arguments);

extern const char* const kHelp;

}  // namespace fm
