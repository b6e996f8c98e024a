// SPDX-License-Identifier: Apache-2.0
// FileOutputFiles: the output files of a state folder, <root>/jobs/<id>/attempt-<n>/<rank_file>.{out,err}. Only the user
// can read them. No file is kept open between calls, so that removing a job frees its disk space at once.
#pragma once

#include "core/port/output_files.h"
#include "core/system/store/output/folder_watches.h"
#include "core/system/store/output/held_folder.h"

namespace muster {

class FileOutputFiles final : public OutputFiles {
 public:
  // Watches ignore files whose names end with one of `ignored`.
  FileOutputFiles(std::string root, FdLoop& loop, std::vector<std::string> ignored = {".times"});

  // The folder for the files of an attempt, whether it exists or not.
  static std::string folder_in(const std::string& root, const JobId& job, Attempt attempt);

  // invalid_argument: `rank_file` is not a plain name (letters, digits, `._-`).
  Result<std::string> path(const JobId& job, Attempt attempt, const std::string& rank_file,
                           OutputStream stream) override;
  Result<std::string> read(const std::string& path, uint64_t offset, size_t limit) override;
  uint64_t size(const std::string& path) const override;
  uint64_t first_kept(const std::string& path) const override;
  // Calls `changed` as FolderWatches does. Creates the attempt's folder.
  std::unique_ptr<OutputWatch> watch(const JobId& job, Attempt attempt, OutputChanged changed) override;
  std::unique_ptr<OutputWatch> watch_writes(const std::vector<std::string>& paths, OutputChanged changed) override;

 private:
  const std::string root_;
  store::FolderWatches watches_;
  std::string made_;    // the folder that path() created last
  std::string buffer_;  // for read()
  mutable store::HeldFolder looked_at_;
};

}  // namespace muster
