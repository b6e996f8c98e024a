// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/shared_memory_notes.h"

#include <filesystem>

namespace muster {
namespace {

namespace fs = std::filesystem;

const fs::path kSharedMemory = "/dev/shm";

}  // namespace

void note_shared_memory(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  fs::create_symlink(kSharedMemory / name, fs::path(folder) / name, ignored);
}

void remove_with_shared_memory(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, ignored)) {
    const fs::path noted = each.is_symlink(ignored) ? fs::read_symlink(each.path(), ignored) : fs::path();
    if (noted.parent_path() == kSharedMemory) fs::remove(noted, ignored);
  }
  fs::remove_all(folder, ignored);
}

}  // namespace muster
