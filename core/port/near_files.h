// NearFiles: output files of ranks, read by a viewer on the machine where they lie. What they are and how far they go, the
// viewer is told (OutputSpan). Loop thread only.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace muster {

class NearFiles {
 public:
  virtual ~NearFiles() = default;

  // Into `bytes`, which may be reused, what the file at `path` has from `offset` on, at most `limit` and at least one byte.
  // not_found: there is no such file. data_loss: nothing is there, or was dropped (`logs.max`). Else why it cannot be read.
  virtual Status read(const std::string& path, uint64_t offset, size_t limit, std::string& bytes) = 0;
};

}  // namespace muster
