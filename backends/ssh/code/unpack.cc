// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/unpack.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "backends/ssh/session/code_delivery.h"
#include "backends/ssh/session/packed_program.h"
#include "core/client/run_program.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr auto kUnpackTimeout = std::chrono::minutes(10);

// True if the folder is on a local disk. Equal inodes and times prove nothing there: disks cloned from one image have them, too.
bool is_of_a_disk(const std::string& folder) {
  struct statfs about {};
  constexpr std::array<decltype(about.f_type), 7> kDisks = {
      EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
      TMPFS_MAGIC,      F2FS_SUPER_MAGIC, 0x2FC12FC1};  // ZFS
  return statfs(folder.c_str(), &about) != 0 || std::find(kDisks.begin(), kDisks.end(), about.f_type) != kDisks.end();
}

// A folder that both machines mount has the same inode and the same change time.
bool is_the_same_folder(const CodeOrder& order) {
  if (is_of_a_disk(order.folder)) return false;
  CodeOrder here = order;
  return mark_folder(here) && here == order;
}

Status failed(const std::string& what, const std::error_code& error) {
  return Status(Code::unavailable, what + ": " + error.message());
}

// Makes a temporary folder whose name is unique, even among hosts that share this disk.
Result<fs::path> own_folder(const fs::path& beside) {
  std::string name = beside.parent_path() / ".new-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) return errno_status(errno, "make a folder in " + beside.parent_path().string());
  return fs::path(name);
}

Status keep_archive(const fs::path& archive, const CodeOrder& order, const ReceiveArchive& receive) {
  std::error_code error;
  fs::last_write_time(archive, fs::file_time_type::clock::now(), error);
  if (!error) return Status();
  const Result<fs::path> folder = own_folder(archive);
  if (!folder.ok()) return folder.status();
  const std::string own = *folder / "archive";
  Status status = receive(own);
  const Result<std::string> hash = status.ok() ? ssh::content_hash(own) : Result<std::string>(status);
  if (status.ok() && !hash.ok()) status = hash.status();
  if (status.ok() && *hash != order.hash) status = Status(Code::data_loss, "the code was damaged while it was copied");
  if (status.ok()) {
    fs::rename(own, archive, error = {});
    if (error) status = failed(archive.string(), error);
  }
  fs::remove_all(*folder, error);
  return status;
}

// Unpacks into a temporary folder and renames it, so that the target is never incomplete.
Status unpack_archive(const CallerContext& caller, const fs::path& archive, const fs::path& target) {
  const Result<fs::path> made = own_folder(target);
  if (!made.ok()) return made.status();
  const fs::path& own = *made;
  std::error_code error;
  const HelperProgram tar{.argv = {"tar", "--extract", "--gzip", "--no-same-owner", "--file=" + archive.string(),
                                   "--directory=" + own.string()},
                          .environment = caller.environment,
                          .patience = kUnpackTimeout};
  const auto done = run_program(tar, false);
  Status status = done.ok() ? Status() : done.status();
  if (done.ok() && done->exit_code != 0)
    status = Status(Code::unavailable, "cannot unpack the code in " + own.string());
  if (status.ok()) {
    fs::rename(own, target, error);
    // If the target exists, another session of the job was faster.
    if (error && !fs::exists(target)) status = failed(target.string(), error);
  }
  fs::remove_all(own, error);
  return status;
}

}  // namespace

Status unpack(const CallerContext& caller, const std::string& folder, const CodeOrder& order,
              const ReceiveArchive& receive) {
  const fs::path trees = fs::path(folder) / "trees";
  const fs::path work = fs::path(folder) / kCodeFolder;
  std::error_code error;
  for (const fs::path& made : {trees, work}) {
    fs::create_directories(made, error);
    if (!error) fs::permissions(made, fs::perms::owner_all, error);
    if (error) return failed(made.string(), error);
  }
  const fs::path target = work / order.job;
  if (fs::exists(target, error)) return Status();
  if (is_the_same_folder(order)) {
    fs::create_directory_symlink(order.folder, target, error);
    return error ? failed(target.string(), error) : Status();
  }
  const fs::path archive = trees / (order.hash + ".tgz");
  const Status kept = keep_archive(archive, order, receive);
  return kept.ok() ? unpack_archive(caller, archive, target) : kept;
}

}  // namespace muster
