#include "launcher/tree/leftovers.h"

#include <sys/stat.h>
#include <time.h>

#include <chrono>
#include <filesystem>

#include "core/adapter/linux/marked_processes.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kKept = std::chrono::hours(24 * 7);

// Of a link itself: what it leads to is not ours.
bool is_old(const fs::path& path) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 && time(nullptr) - about.st_mtim.tv_sec > kKept.count();
}

// A job that still runs is no left-over, however long it does.
bool is_in_use(const fs::path& path) {
  return !marked_processes({"MUSTER_JOB_ID=" + path.filename().string()}).empty();
}

}  // namespace

void remove_leftovers(const std::string& folder) {
  for (const char* kind : {"trees", "code", "jobs"}) {
    std::error_code error;
    for (fs::directory_iterator each(fs::path(folder) / kind, error), end; !error && each != end;
         each.increment(error)) {
      std::error_code ignored;
      if (is_old(each->path()) && !is_in_use(each->path())) fs::remove_all(each->path(), ignored);
    }
  }
}

}  // namespace muster
