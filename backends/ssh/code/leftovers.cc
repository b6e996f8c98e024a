// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/leftovers.h"

#include <sys/stat.h>
#include <time.h>

#include <filesystem>

#include "core/job/code_order.h"
#include "core/system/linux/marked_processes.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr time_t kDay = 24 * 3600;
constexpr time_t kArchivesKept = 7 * kDay;
constexpr time_t kJobsKept = 30 * kDay;
constexpr time_t kSetupKept = 90 * kDay;

// The time of a link itself; its target does not belong to muster.
time_t written(const fs::path& path) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 ? about.st_mtim.tv_sec : time(nullptr);
}

bool is_old(const fs::path& path, time_t kept) { return time(nullptr) - written(path) > kept; }

// True if the folder and everything in it is old, because a program may write anywhere in it.
bool is_old_throughout(const fs::path& path, time_t kept) {
  if (!is_old(path, kept)) return false;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) return true;
  for (fs::recursive_directory_iterator each(path, error), end; !error && each != end; each.increment(error)) {
    if (!is_old(each->path(), kept)) return false;
  }
  return !error;  // keep what cannot be read
}

// True if the folder has only empty files. The agent of the job was then killed before anything was written.
bool is_empty_throughout(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) return false;
  for (fs::recursive_directory_iterator each(path, error), end; !error && each != end; each.increment(error)) {
    const bool folder = each->is_directory(error) && !each->is_symlink(error);
    if (!folder && (!each->is_regular_file(error) || each->file_size(error) > 0)) return false;
  }
  return !error;
}

// Between attempts no rank runs, but the agent's link exists.
bool is_in_use(const std::string& job, const std::string& runtime) {
  std::error_code error;
  for (fs::directory_iterator each(runtime, error), end; !error && each != end; each.increment(error)) {
    if (each->path().filename().string().starts_with("link-" + job)) return true;
  }
  return !marked_processes({"MUSTER_JOB_ID=" + job}).empty();
}

template <typename Goes>
void remove_some(const fs::path& folder, const Goes& goes) {
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    std::error_code ignored;
    if (goes(each->path())) fs::remove_all(each->path(), ignored);
  }
}

// The time of NAME.done is that of the last job that used NAME. A failed setup has no such file.
void remove_setups(const fs::path& folder) {
  remove_some(folder, [&](const fs::path& entry) {
    const bool is_place = entry.extension().empty();
    const fs::path stamp = is_place ? fs::path(entry.string() + ".done") : entry;
    std::error_code error;
    return is_old(fs::exists(stamp, error) ? stamp : entry, kSetupKept);
  });
}

}  // namespace

void remove_leftovers(const std::string& folder, const std::string& runtime) {
  const fs::path own(folder);
  remove_some(own / "trees", [](const fs::path& archive) { return is_old(archive, kArchivesKept); });
  remove_setups(own / kSetupFolder);
  remove_some(own / "jobs",
              [&](const fs::path& job) { return is_empty_throughout(job) && !is_in_use(job.filename(), runtime); });
  for (const char* kind : {kCodeFolder, "jobs"}) {
    remove_some(own / kind, [&](const fs::path& job) {
      return is_old_throughout(job, kJobsKept) && !is_in_use(job.filename(), runtime);
    });
  }
}

Status forget_host(const std::string& folder, const std::string& runtime) {
  std::error_code error;
  for (fs::directory_iterator each(runtime, error), end; !error && each != end; each.increment(error)) {
    if (each->path().extension() == ".lock" && each->path().filename().string().starts_with("link-"))
      return Status(Code::failed_precondition, "jobs still run there; muster ps lists them");
  }
  const fs::path own(folder);
  for (const std::string name : {"trees", "jobs", "bin", "imports", kSetupFolder, kCodeFolder}) {
    fs::remove_all(own / name, error);
    if (error) return errno_status(error.value(), (own / name).string());
  }
  fs::remove(own, error);  // unless there is more in it
  return Status();
}

}  // namespace muster
