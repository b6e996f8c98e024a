// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/state_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/text.h"
#include "core/system/linux/host_name.h"
#include "core/system/linux/runtime_folder.h"
#include "core/system/store/state_root.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::string machine_id() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  if (std::getline(file, id) && !id.empty()) return id;
  return host_name();
}

// The folder itself, or the nearest one above it that exists.
fs::path nearest_that_exists(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder != folder.parent_path()) folder = folder.parent_path();
  return folder;
}

// Whether this user can write to the folder, or can create it.
bool usable(const fs::path& wanted) {
  const fs::path folder = nearest_that_exists(wanted);
  std::error_code ignored;
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0 || !fs::is_directory(folder, ignored))
    return false;
  // The mode bits let root write there, but no folder can be created in /proc and /sys.
  struct statfs kind {};
  return statfs(folder.c_str(), &kind) != 0 || (kind.f_type != PROC_SUPER_MAGIC && kind.f_type != SYSFS_MAGIC);
}

// Whether another user made what is at this path, which is in a folder for all users.
bool taken_by_another(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && (!S_ISDIR(info.st_mode) || info.st_uid != geteuid());
}

std::string why_not(const StateCandidate& candidate, const std::string& value) {
  if (taken_by_another(candidate.path) && candidate.for_others)
    return escaped(candidate.path) + " is not a folder of this user";
  const std::string nearest = nearest_that_exists(candidate.path).string();
  return escaped(nearest.starts_with(value) ? nearest : value) + " (" + candidate.variable + ") cannot be written";
}

}  // namespace

Result<StatePlace> state_place(const CallerContext& caller) {
  const auto candidates = state_candidates(caller.environment, machine_id(), geteuid());
  if (!candidates.ok()) return candidates.status();
  std::string instead = caller.variable("HOME") || caller.variable("XDG_STATE_HOME") ? "" : "HOME is not set";
  for (const StateCandidate& candidate : *candidates) {
    const bool chosen = candidate.variable == "MUSTER_STATE_DIR";
    const bool refused = candidate.for_others && taken_by_another(candidate.path);
    if (chosen) return StatePlace{candidate.path, "", false};
    if (!refused && usable(candidate.path)) return StatePlace{candidate.path, instead, candidate.for_others};
    if (instead.empty()) instead = why_not(candidate, caller.variable(candidate.variable).value_or(""));
  }
  if (instead.empty()) instead = "HOME is not an absolute path";
  return StatePlace{runtime_folder_path() + "/state", instead, true};
}

std::string state_remark(const CallerContext& caller) {
  const auto place = state_place(caller);
  if (!place.ok() || place->instead.empty()) return "";
  return "jobs are kept in " + escaped(place->path) + ", because " + place->instead +
         "; set MUSTER_STATE_DIR to choose another folder\n";
}

}  // namespace muster
