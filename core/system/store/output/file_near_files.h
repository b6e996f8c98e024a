// SPDX-License-Identifier: Apache-2.0
// FileNearFiles: implements NearFiles. No file is kept open between calls, so that removing a job frees its disk space at
// once.
#pragma once

#include "core/port/near_files.h"

namespace muster {

class FileNearFiles final : public NearFiles {
 public:
  Status read(const std::string& path, uint64_t offset, size_t limit, std::string& bytes) override;
};

}  // namespace muster
