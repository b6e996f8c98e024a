// FileJobStore: the JobStore of a state folder on a local or network disk:
//
//   <root>/jobs/<id>/journal   checked lines (checked_line.h)
//   <root>/jobs/<id>/record    what the index knows of the job
//   <root>/jobs/<id>/<name>    private files, 0600
//   <root>/jobs/.*             jobs being made or removed
//   <root>/index.sqlite        found again from the records
//   <root>/index.stale         "the index missed a change"
//
// The folders are the truth. A job appears and goes at once, by rename. When the index fails, list() reads the
// folders. Several processes may hold one root (a controller, standalone runs), each appending only to journals of
// its own jobs.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/port/job_store.h"
#include "core/system/posix/unique_fd.h"
#include "core/system/sqlite/sqlite_job_index.h"
#include "core/system/store/journal_file.h"

namespace muster {

class FileJobStore final : public JobStore {
 public:
  // Makes `root` (0700) when it is missing and removes what processes that died left half made. Only a root that
  // cannot be written fails; an index that cannot be used does not.
  static Result<std::unique_ptr<FileJobStore>> open(const std::string& root,
                                                    store::WriteCall write_call = default_write());
  static store::WriteCall default_write();

  Status create(const JobRecord& record) override;
  Status update(const JobRecord& record) override;
  std::vector<JobRecord> list() const override;
  bool changed_elsewhere() const override;
  uint64_t bytes(const JobId& job) const override;
  Status remove(const JobId& job) override;

  // An flock on the job's `owner` file.
  bool own(const JobId& job) override;
  void disown(const JobId& job) override;

  // resource_exhausted names the folder and what is free. not_found: no such job.
  Status append(const JobId& job, std::string_view line, bool sync) override;
  Status sync(const JobId& job) override;
  // failed_precondition: a newer muster wrote it.
  Result<std::vector<std::string>> read(const JobId& job) const override;

  // invalid_argument: `name` is no plain name, or one the store uses itself (journal, record, attempt-…).
  Status write_private(const JobId& job, const std::string& name, std::string_view content) override;
  Result<std::string> read_private(const JobId& job, const std::string& name) const override;

  // Where the job's files lie; it need not be there.
  std::string folder(const JobId& job) const;

 private:
  bool own_folder(const JobId& job, const std::string& at);
  struct OpenJournal {
    JobId job;
    store::JournalFile file;
  };

  FileJobStore(std::string root, store::WriteCall write_call);

  Result<store::JournalFile*> open_journal(const JobId& job);
  void close_journal(const JobId& job);
  Status write_new_folder(const JobRecord& record, const std::string& name);
  void clean_up() const;
  void open_index();
  // The folders' records, oldest first.
  std::vector<JobRecord> scan() const;
  bool index_usable() const;
  bool rebuild_index() const;
  // Marks the index stale, for other processes too, when it did not take `change`.
  void note_in_index(const Status& change) const;
  Status refuse_known(const JobRecord& record) const;

  const std::string root_;
  const std::string jobs_;
  const store::WriteCall write_call_;
  std::unique_ptr<SqliteJobIndex> index_;  // null: cannot be used
  mutable bool missed_ = false;            // the index missed a change; list() rebuilds it
  mutable int64_t listed_version_ = -1;    // of the index, when list() read it last
  std::map<JobId, UniqueFd> owned_;
  std::list<OpenJournal> journals_;  // the most recently used first
};

}  // namespace muster
