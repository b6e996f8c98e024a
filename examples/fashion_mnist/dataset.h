// SPDX-License-Identifier: Apache-2.0
// Reads Fashion-MNIST as it is distributed: four gzip-compressed idx files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fm {

struct Dataset {
  std::vector<std::uint8_t> pixels;  // kPixels of each image
  std::vector<std::uint8_t> labels;  // 0 to 9

  std::size_t size() const { return labels.size(); }
};

// Reads FOLDER/PART-images-idx3-ubyte.gz and FOLDER/PART-labels-idx1-ubyte.gz; PART is "train" or "t10k". Throws
// std::runtime_error with a message if a file is missing or damaged.
Dataset read_dataset(const std::string& folder, const std::string& part);

}  // namespace fm
