// FileOutputFiles: the output files of a state folder, <root>/jobs/<id>/attempt-<n>/<rank_file>.{out,err}, private
// to the user. No file is kept open between calls, so that removing a job frees its disk at once.
#pragma once

#include "core/port/output_files.h"
#include "core/system/store/output/folder_watches.h"
#include "core/system/store/output/held_folder.h"

namespace muster {

class FileOutputFiles final : public OutputFiles {
 public:
  FileOutputFiles(std::string root, FdLoop& loop);

  // Where the files of an attempt are, or would be.
  static std::string folder_in(const std::string& root, const JobId& job, Attempt attempt);

  // invalid_argument: `rank_file` is no plain name (letters, digits, `._-`).
  Result<std::string> path(const JobId& job, Attempt attempt, const std::string& rank_file,
                           OutputStream stream) override;
  Result<std::string> read(const std::string& path, uint64_t offset, size_t limit) override;
  uint64_t size(const std::string& path) const override;
  uint64_t first_kept(const std::string& path) const override;
  // At most one call in 5 ms. Makes the attempt's folder. Growth of `.times` files does not count.
  std::unique_ptr<OutputWatch> watch(const JobId& job, Attempt attempt, OutputChanged changed) override;

 private:
  const std::string root_;
  store::FolderWatches watches_;
  std::string made_;    // the folder of the last path()
  std::string buffer_;  // of read()
  mutable store::HeldFolder looked_at_;
};

}  // namespace muster
