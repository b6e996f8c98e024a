// SPDX-License-Identifier: Apache-2.0
// NearFiles: reads output files of ranks on the viewer's own machine. OutputSpan tells the viewer which bytes to read. Loop thread
// only.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace muster {

class NearFiles {
 public:
  virtual ~NearFiles() = default;

  // Reads from `offset` at most `limit` and at least one byte of the file at `path` into `bytes`, which may be reused. not_found:
  // there is no such file. data_loss: the bytes do not exist, or logs.max dropped them. Another error: the file cannot be read.
  virtual Status read(const std::string& path, uint64_t offset, size_t limit, std::string& bytes) = 0;
};

}  // namespace muster
