// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/snapshot.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "backends/ssh/code/tree_files.h"
#include "backends/ssh/session/packed_program.h"
#include "core/base/private_file.h"
#include "core/client/run_program.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostEntries = 200'000;
constexpr auto kSnapshotTimeout = std::chrono::minutes(10);
constexpr auto kKept = std::chrono::hours(24 * 60);
constexpr const char* kEnding = ".tgz";

HelperProgram program(const SnapshotRequest& request, std::vector<std::string> argv) {
  return {.argv = std::move(argv),
          .environment = request.environment,
          .workdir = request.folder,
          .patience = kSnapshotTimeout};
}

// A file that is removed with the object, unless it has been renamed.
struct TemporaryFile {
  fs::path path;
  ~TemporaryFile() {
    std::error_code error;
    fs::remove(path, error);
  }
};

Status write_names(const fs::path& file, const std::vector<std::string>& paths) {
  std::ofstream names(file, std::ios::binary);
  for (const std::string& path : paths) names << "./" << path << '\0';
  names.close();
  return names ? Status() : errno_status(errno, "write " + file.string());
}

// The same content makes the same archive: it has no owners and no times, and names are sorted. A log that grew while it was read is a
// reason for a second try.
Status pack(const SnapshotRequest& request, const fs::path& names, const fs::path& archive, bool again = true) {
  const auto packed =
      run_program(program(request, {"tar", "--create", "--format=gnu", "--use-compress-program=gzip -n",
                                    "--file=" + archive.string(), "--directory=" + request.folder, "--no-recursion",
                                    "--owner=0", "--group=0", "--numeric-owner", "--mtime=@946684800", "--null",
                                    "--verbatim-files-from", "--files-from=" + names.string()}),
                  false);
  if (!packed.ok()) return packed.status();
  if (packed->exit_code == 0) return Status();
  if (again) return pack(request, names, archive, false);
  return Status(Code::aborted, "tar could not read all of " + request.folder +
                                   ", or a file changed while it was packed; list files that jobs write "
                                   "in .musterignore");
}

void remove_unused(const std::string& archives) {
  std::error_code error;
  for (fs::directory_iterator each(archives, error), end; !error && each != end; each.increment(error)) {
    std::error_code ignored;
    if (fs::file_time_type::clock::now() - each->last_write_time(ignored) > kKept && !ignored)
      fs::remove(each->path(), ignored);
  }
}

// A home folder holds keys, mail and other things that do not belong to the job.
Status refuse_home(const SnapshotRequest& request) {
  std::error_code error;
  const auto home = request.environment.find("HOME");
  const fs::path folder = fs::weakly_canonical(request.folder, error);
  fs::path own = home == request.environment.end() ? fs::path("/") : fs::weakly_canonical(home->second, error);
  for (;; own = own.parent_path()) {
    if (own == folder)
      return Status(Code::failed_precondition, request.folder +
                                                   " is, or contains, your home folder, which is not copied to hosts; "
                                                   "put the job's code in a folder of its own");
    if (own == own.parent_path()) return Status();
  }
}

}  // namespace

std::string archive_path(const std::string& archives, const std::string& hash) {
  return archives + "/" + hash + kEnding;
}

Result<Snapshot> take_snapshot(const SnapshotRequest& request) {
  if (const Status refused = refuse_home(request); !refused.ok()) return refused;
  std::error_code error;
  fs::create_directories(request.archives, error);
  fs::permissions(request.archives, fs::perms::owner_all, error);
  if (error) return Status(Code::permission_denied, request.archives + ": " + error.message());
  const auto files =
      list_tree(request.folder, [&](const std::string& folder) { return ask_git(folder, request.environment); },
                {request.most_bytes, kMostEntries});
  if (!files.ok()) return files.status();
  const std::string own = request.archives + "/.new-" + process_key(getpid());
  const TemporaryFile names{own + ".names"};
  const TemporaryFile archive{own};
  for (const TemporaryFile* file : {&names, &archive}) make_private_file(file->path);
  Status status = write_names(names.path, files->paths);
  if (status.ok()) status = pack(request, names.path, archive.path);
  if (!status.ok()) return status;
  const Result<std::string> hash = ssh::content_hash(archive.path);
  if (!hash.ok()) return hash.status();
  fs::rename(archive.path, archive_path(request.archives, *hash), error);
  if (error) return Status(Code::unavailable, "cannot save the snapshot of the code: " + error.message());
  fs::last_write_time(archive_path(request.archives, *hash), fs::file_time_type::clock::now(), error);
  remove_unused(request.archives);
  return Snapshot{*hash, files->bytes, files->paths.size()};
}

}  // namespace muster
