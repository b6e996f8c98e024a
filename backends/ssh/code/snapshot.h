// A snapshot of the code that travels to hosts, taken at submit: an archive of tar and gzip, known by what it contains. Editing
// afterwards changes nothing, and what has not changed is not sent again. Blocks: commands only.
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
  std::string folder;                              // whose content travels
  uint64_t most_bytes = 0;                         // unpacked
  std::map<std::string, std::string> environment;  // of tar, gzip and git
  std::string archives;                            // the folder that keeps snapshots; made when missing
};

// Keeps the archive as `archives`/HASH.tgz. Snapshots that no job used for two months go. resource_exhausted: it is too much; failed_precondition: it is the home
// folder;
// aborted: something changed meanwhile; else what failed.
Result<Snapshot> take_snapshot(const SnapshotRequest& request);

// Where the archive of `hash` lies.
std::string archive_path(const std::string& archives, const std::string& hash);

}  // namespace muster
