// SPDX-License-Identifier: Apache-2.0
// FileJobStore: the JobStore of a state folder on a local or network disk:
//
//   <root>/jobs/<id>/journal   checked lines (checked_line.h)
//   <root>/jobs/<id>/record    the job's entry in the index
//   <root>/jobs/<id>/<name>    private files, 0600
//   <root>/jobs/.*             jobs being created or removed
//   <root>/index.sqlite        the index; can be rebuilt from the records
//   <root>/index.complete      exists if the index missed no change
//
// A job appears and disappears atomically, by rename. If the index fails, list() reads the folders. Several processes may
// use one root (a controller, standalone runs); each appends only to the journals of its own jobs.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/port/job_store.h"
#include "core/system/store/journal_file.h"
#include "core/system/store/owner_locks.h"
#include "core/system/store/record_index.h"

namespace muster {

class FileJobStore final : public JobStore {
 public:
  // Creates `root` (0700) if it is missing, and removes incomplete jobs of processes that have died. Fails if `root` is
  // not writable. Does not fail if the index cannot be used.
  static Result<std::unique_ptr<FileJobStore>> open(const std::string& root,
                                                    store::WriteCall write_call = default_write());
  static store::WriteCall default_write();

  Status create(const JobRecord& record) override;
  Status update(const JobRecord& record) override;
  std::vector<JobRecord> list() const override;
  bool changed_elsewhere() const override;
  uint64_t bytes(const JobId& job) const override;
  Status remove(const JobId& job) override;

  // Locks the job's `owner` file (flock).
  bool own(const JobId& job) override;
  void disown(const JobId& job) override;

  // Makes `owner` files that were deleted again. Call it every few seconds. False: another process has taken a job of ours.
  bool renew_ownership();

  // resource_exhausted: the message names the folder and its free space. not_found: no such job.
  Status append(const JobId& job, std::string_view line, bool sync) override;
  Status append_last(const JobId& job, std::string_view line, bool sync) override;
  void release_reserve(const JobId& job) override;
  Status sync(const JobId& job) override;
  // failed_precondition: a newer version of muster wrote the journal.
  Result<std::vector<std::string>> read(const JobId& job) const override;

  // invalid_argument: `name` is not a plain name, or the store uses it itself (journal, record, attempt-…).
  Status write_private(const JobId& job, const std::string& name, std::string_view content) override;
  Result<std::string> read_private(const JobId& job, const std::string& name) const override;

  // The folder of the job's files, whether it exists or not.
  std::string folder(const JobId& job) const;

 private:
  struct OpenJournal {
    JobId job;
    store::JournalFile file;
  };

  FileJobStore(std::string root, store::WriteCall write_call);

  Result<store::JournalFile*> open_journal(const JobId& job);
  void close_journal(const JobId& job);
  Status finish_append(const JobId& job, Status appended);
  Status write_new_folder(const JobRecord& record, const std::string& name);
  void clean_up() const;

  const std::string root_;
  const std::string jobs_;
  const store::WriteCall write_call_;
  mutable std::optional<store::RecordIndex> index_;  // opened last; reading may rebuild it
  store::OwnerLocks owned_;
  std::list<OpenJournal> journals_;  // the most recently used first
};

}  // namespace muster
