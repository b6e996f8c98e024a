// SPDX-License-Identifier: Apache-2.0
// Facts about the places that jobs write to: shared memory, and the disks of the state folder and of temporary files.

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/client/connect/state_place.h"
#include "core/client/doctor/parse.h"
#include "core/system/store/disk_use.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_files = 50'000;  // files that are counted; the size of further files is ignored

// The folder itself or its nearest parent that exists: a missing folder will be created there.
fs::path existing_part(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder != folder.parent_path()) folder = folder.parent_path();
  return folder;
}

DiskFacts disk_of(const std::string& folder) {
  DiskFacts facts;
  const fs::path place = existing_part(folder);
  facts.exists = place == fs::path(folder);
  facts.writable = access(place.c_str(), W_OK | X_OK) == 0;
  struct statvfs disk {};
  struct statfs kind {};
  if (statvfs(place.c_str(), &disk) != 0) return facts;
  facts.bytes = disk.f_blocks * disk.f_frsize;
  facts.free_bytes = disk.f_bavail * disk.f_frsize;
  facts.inodes = disk.f_files;
  facts.free_inodes = disk.f_favail;
  facts.no_exec = (disk.f_flag & ST_NOEXEC) != 0;
  if (statfs(place.c_str(), &kind) != 0) return facts;
  facts.network = network_name(static_cast<uint64_t>(kind.f_type));
  // The mode bits let root write there, but no folder can be created in /proc and /sys.
  if (kind.f_type == PROC_SUPER_MAGIC || kind.f_type == SYSFS_MAGIC) facts.writable = false;
  return facts;
}

void gather_state(const CallerContext& caller, StorageFacts& facts) {
  facts.state_named = caller.variable("MUSTER_STATE_DIR").has_value();
  const auto place = state_place(caller);
  if (!place.ok()) {
    facts.state_problem = place.status().message();
    return;
  }
  facts.state_folder = place->path;
  facts.state_instead = place->instead;
  facts.state = disk_of(facts.state_folder);
  if (const auto limit = caller.variable("MUSTER_KEEP_SIZE")) {
    if (const auto bytes = parse_size(*limit); bytes.ok()) facts.keep_bytes = *bytes;
  }
  struct stat folder {};
  facts.state_exists = stat(facts.state_folder.c_str(), &folder) == 0;
  if (!facts.state_exists) return;
  facts.state_foreign = folder.st_uid != geteuid();
  facts.state_open = (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  facts.state_used_bytes = bytes_below(facts.state_folder, most_files);
}

}  // namespace

StorageFacts gather_storage(const CallerContext& caller) {
  StorageFacts facts;
  struct statvfs shared {};
  if (statvfs("/dev/shm", &shared) == 0) {
    facts.shared_memory_bytes = shared.f_blocks * shared.f_frsize;
    facts.shared_memory_free_bytes = shared.f_bavail * shared.f_frsize;
  }
  facts.temporary_folder = caller.variable("TMPDIR").value_or("/tmp");
  facts.temporary = disk_of(facts.temporary_folder);
  gather_state(caller, facts);
  return facts;
}

}  // namespace muster
