// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/file_setup_place.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/short_hash.h"
#include "core/job/code_order.h"
#include "core/system/posix/unique_fd.h"
#include "core/system/store/files.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr off_t kLargestRead = 16 << 20;  // a larger file is taken for data, and its content is not read

class HeldFile final : public MachineLease {
 public:
  explicit HeldFile(UniqueFd fd) : fd_(std::move(fd)) {}

 private:
  UniqueFd fd_;
};

// A hash of the file's content. For a large file its size and time. Empty if `path` is not a regular file.
std::string content_of(const fs::path& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return "";
  if (about.st_size > kLargestRead)
    return std::to_string(about.st_size) + " " + std::to_string(about.st_mtim.tv_sec) + "\n";
  std::ifstream file(path, std::ios::binary);
  return short_hash(std::string(std::istreambuf_iterator<char>(file), {})) + "\n";
}

// The content of files that the arguments name, such as "requirements.txt" or "--constraint=pins.txt". The program itself
// is not included.
std::string content_named(const std::vector<std::string>& command, const fs::path& workdir) {
  std::string found;
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    const std::string named = word.starts_with('-') ? word.substr(word.find('=') + 1) : word;
    const std::string content = named.empty() ? "" : content_of(workdir / named);
    if (!content.empty()) found += named + " " + content;
  }
  return found;
}

Status failed(const fs::path& what, const std::error_code& error) {
  return Status(Code::unavailable, what.string() + ": " + error.message());
}

// Links the entries of `made` that are missing in `own`; descends into folders that exist in both.
Status link_missing(const fs::path& made, const fs::path& own) {
  std::error_code error;
  for (fs::directory_iterator each(made, error), end; !error && each != end; each.increment(error)) {
    const fs::path there = own / each->path().filename();
    const fs::file_status here = fs::symlink_status(there, error);
    const bool missing = here.type() == fs::file_type::not_found;
    if (missing) {
      fs::create_symlink(each->path(), there, error);
      if (error == std::errc::file_exists) error.clear();  // another node of the job created it meanwhile
    } else if (fs::is_directory(here) && fs::is_directory(each->symlink_status(error))) {
      if (const Status inner = link_missing(each->path(), there); !inner.ok()) return inner;
    }
    if (error && !missing) error.clear();
  }
  return error ? failed(own, error) : Status();
}

}  // namespace

FileSetupPlace::FileSetupPlace(const std::string& folder, std::string host)
    : code_(folder + "/" + kCodeFolder),
      folder_(folder + "/" + kSetupFolder),
      host_(std::move(host)) {}

SetupSite FileSetupPlace::site(const std::string& identity, const std::vector<std::vector<std::string>>& commands,
                               const std::string& workdir) {
  std::error_code error;
  const fs::path written(workdir);
  const bool own = written.parent_path() == code_ && !fs::is_symlink(fs::symlink_status(written, error));
  const fs::path real = fs::weakly_canonical(written, error);
  std::string all = host_ + "\n" + identity + "\n" + (own ? "" : real.string()) + "\n";
  for (const std::vector<std::string>& command : commands) all += content_named(command, written);
  SetupSite site{short_hash(all), real, ""};
  if (own) site.workdir = folder_ + "/" + site.name + "/work";
  if (own) site.copied_from = workdir;
  return site;
}

bool FileSetupPlace::is_done(const SetupSite& site) {
  const std::string stamp = folder_ + "/" + site.name + ".done";
  const bool copy = !site.copied_from.empty();
  std::error_code error;
  if (copy && !fs::is_directory(site.workdir, error)) return false;
  return utimensat(AT_FDCWD, stamp.c_str(), nullptr, 0) == 0;
}

Status FileSetupPlace::note_done(const SetupSite& site) {
  return store::replace_file(folder_, site.name + ".done", site.workdir + "\n");
}

std::unique_ptr<MachineLease> FileSetupPlace::lock(const SetupSite& site) {
  (void)store::make_folders(folder_);
  const std::string path = folder_ + "/" + short_hash(site.workdir) + ".lock";
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  // If no lock file can be created (a full disk), continues without a lock: the next step fails with the reason.
  if (fd.valid() && flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return nullptr;
  return std::make_unique<HeldFile>(std::move(fd));
}

Status FileSetupPlace::clear(const SetupSite& site) {
  if (site.copied_from.empty()) return store::make_folders(folder_);
  const fs::path place = fs::path(site.workdir).parent_path();
  std::error_code error;
  fs::remove(folder_ + "/" + site.name + ".done", error);
  fs::remove_all(place, error);
  if (error) return failed(place, error);
  return store::make_folders(place);
}

Status FileSetupPlace::link(const SetupSite& site) {
  return site.copied_from.empty() ? Status() : link_missing(site.workdir, site.copied_from);
}

bool FileSetupPlace::is_venv(const std::string& path) { return access((path + "/bin/python").c_str(), X_OK) == 0; }

}  // namespace muster
