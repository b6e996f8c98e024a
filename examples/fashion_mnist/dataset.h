// Fashion-MNIST as it is distributed: four gzip'ed idx files.
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

// Reads FOLDER/PART-images-idx3-ubyte.gz and FOLDER/PART-labels-idx1-ubyte.gz; parts are "train" and "t10k". Throws
// std::runtime_error with a sentence about the file that is missing, damaged or no such file.
Dataset read_dataset(const std::string& folder, const std::string& part);

}  // namespace fm
