// SPDX-License-Identifier: Apache-2.0
// The extent of an output file's data, and freeing its oldest bytes. Used only in core/system/store. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace muster::store {

uint64_t file_size(const std::string& path);  // 0: no file

// The offset of the file's first data (lseek(2) SEEK_DATA). The file's size if all data was dropped; 0 if the file system
// has no holes.
uint64_t first_kept(const std::string& path);
uint64_t first_kept(int fd);  // the same for an open file; changes its read offset

// See OutputKeeper::drop_before.
Result<uint64_t> drop_before(const std::string& path, uint64_t offset);

}  // namespace muster::store
