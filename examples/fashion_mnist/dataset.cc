// SPDX-License-Identifier: Apache-2.0
#include "dataset.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "shape.h"

namespace fm {
namespace {

using Bytes = std::vector<std::uint8_t>;

[[noreturn]] void missing(const std::string& path) {
  throw std::runtime_error("cannot read " + path + " (" + std::strerror(errno) +
                           "); install Debian's package dataset-fashion-mnist, or set --data FOLDER to the folder of "
                           "the four idx.gz files");
}

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + " is damaged or not the expected file: " + why + "; download it again");
}

Bytes unzip(const std::string& path) {
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file) missing(path);
  Bytes content;
  Bytes piece(1 << 18);
  int count = 0;
  while ((count = gzread(file.get(), piece.data(), static_cast<unsigned>(piece.size()))) > 0) {
    content.insert(content.end(), piece.begin(), piece.begin() + count);
  }
  int code = 0;
  const char* const why = gzerror(file.get(), &code);
  if (code == Z_ERRNO) missing(path);
  if (count < 0 || code != Z_OK) damaged(path, why);
  return content;
}

std::size_t number(const Bytes& content, std::size_t at) {
  return static_cast<std::size_t>(content[at]) << 24 | content[at + 1] << 16 | content[at + 2] << 8 | content[at + 3];
}

// The bytes of an idx file whose items are `item` bytes: two zeros, type 8 (bytes), dimensions, each dimension, data.
Bytes read_items(const std::string& path, std::uint8_t dimensions, std::size_t item) {
  const Bytes content = unzip(path);
  const std::size_t header = 4 + 4 * dimensions;
  const std::uint8_t magic[] = {0, 0, 8, dimensions};
  if (content.size() < header || !std::equal(magic, magic + 4, content.begin())) {
    damaged(path, "it does not begin like an idx file of bytes with " + std::to_string(dimensions) + " dimensions");
  }
  if (dimensions == 3 && (number(content, 8) != kSize || number(content, 12) != kSize)) {
    damaged(path, "its images are " + std::to_string(number(content, 8)) + " by " +
                      std::to_string(number(content, 12)) + " pixels, not 28 by 28");
  }
  const std::size_t expected = number(content, 4) * item, found = content.size() - header;
  if (expected != found || found == 0) {
    damaged(path,
            "its header announces " + std::to_string(expected) + " bytes, but " + std::to_string(found) + " follow");
  }
  return Bytes(content.begin() + static_cast<std::ptrdiff_t>(header), content.end());
}

}  // namespace

Dataset read_dataset(const std::string& folder, const std::string& part) {
  const std::string images = folder + "/" + part + "-images-idx3-ubyte.gz";
  const std::string labels = folder + "/" + part + "-labels-idx1-ubyte.gz";
  Dataset data{read_items(images, 3, kPixels), read_items(labels, 1, 1)};
  if (data.pixels.size() != data.labels.size() * kPixels) {
    damaged(labels, std::to_string(data.labels.size()) + " labels for " + std::to_string(data.pixels.size() / kPixels) +
                        " images");
  }
  const auto worst = std::max_element(data.labels.begin(), data.labels.end());
  if (*worst >= kClasses) damaged(labels, "it has a label " + std::to_string(*worst) + "; labels are 0 to 9");
  return data;
}

}  // namespace fm
