// SPDX-License-Identifier: Apache-2.0
// A snapshot of the code that is copied to hosts: an archive of tar and gzip, named by the hash of its content. It is taken at submit;
// later edits do not affect the job. Unchanged code is not sent again. Blocks: commands only.
#pragma once

#include <map>
#include <string>

#include "core/base/result.h"

namespace muster {

struct Snapshot {
  std::string hash;  // 32 hexadecimal digits
  uint64_t bytes = 0;
  size_t entries = 0;
};

struct SnapshotRequest {
  std::string folder;                              // the folder to copy
  uint64_t most_bytes = 0;                         // limit of the unpacked size
  std::map<std::string, std::string> environment;  // for tar, gzip and git
  std::string archives;                            // the folder that keeps snapshots; created if missing
};

// Keeps the archive as `archives`/HASH.tgz and removes snapshots that no job used for 60 days. resource_exhausted: the folder exceeds
// the limit. failed_precondition: it is, or contains, the home folder. aborted: a file changed while it was packed. Other errors are
// those of the programs and files.
Result<Snapshot> take_snapshot(const SnapshotRequest& request);

// The path of the archive of `hash`.
std::string archive_path(const std::string& archives, const std::string& hash);

}  // namespace muster
