// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "backends/ssh/session/gzip.h"
#include "backends/ssh/session/packed_program.h"
#include "backends/ssh/session/zstd.h"
#include "core/base/private_file.h"
#include "core/system/linux/proc_files.h"

namespace muster::ssh {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPackedKept = 3;  // besides the newest

void remove_old(const std::string& folder, const fs::path& own) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> others;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->path() != own) others.emplace_back(fs::last_write_time(at->path(), gone), at->path());
  }
  std::sort(others.rbegin(), others.rend());
  for (size_t i = kPackedKept; i < others.size(); ++i) fs::remove(others[i].second, error);
}

// If the file cannot be written, the program is compressed again next time.
void keep(const std::string& text, const std::string& folder, const std::string& path) {
  std::error_code error;
  fs::create_directories(folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  const std::string fresh = path + "." + process_key(getpid());
  make_private_file(fresh);
  std::ofstream file(fresh, std::ios::binary);
  file << text;
  file.close();
  if (file) fs::rename(fresh, path, error);
  if (!file || error) fs::remove(fresh, error);
  remove_old(folder, path);
}

}  // namespace

Result<std::string> packed_once(const std::string& path, const std::string& folder, const std::string& hash,
                                Packing packing) {
  const bool gzips = packing == Packing::gzip;
  const std::string kept = folder + "/" + hash + (gzips ? ".gz" : ".zst");
  struct stat program {};
  Result<std::string> text = whole_file(kept);
  // After a power cut the kept file may be incomplete.
  const bool whole =
      text.ok() && stat(path.c_str(), &program) == 0 &&
      (gzips ? unpacked_size(*text) : zstd_unpacked_size(*text)) == static_cast<uint64_t>(program.st_size);
  if (whole) {
    utimensat(AT_FDCWD, kept.c_str(), nullptr, 0);
    return text;
  }
  const Result<std::string> file = whole_file(path);
  Result<std::string> made = !file.ok() ? file : gzips ? gzip(*file) : zstd(*file);
  if (made.ok()) keep(*made, folder, kept);
  return made;
}

}  // namespace muster::ssh
