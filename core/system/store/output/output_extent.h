// How much of an output file there is, and giving its oldest bytes back. Part of adapter/store only. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace muster::store {

uint64_t file_size(const std::string& path);  // 0: no file

// The start of the file's first data (lseek(2) SEEK_DATA); its size when all was dropped; 0 where the file system
// has no holes.
uint64_t first_kept(const std::string& path);
uint64_t first_kept(int fd);  // the same of an open one; its read offset moves

// See OutputKeeper::drop_before.
Result<uint64_t> drop_before(const std::string& path, uint64_t offset);

}  // namespace muster::store
