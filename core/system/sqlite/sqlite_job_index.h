// SqliteJobIndex: a table of JobRecord in one file, so that `ps -a` need not open a folder per job. Not the truth:
// whoever finds it `stale` fills it again from the job folders (adapter/store).
//
// No write-ahead log, since homes may be NFS; nothing is synced, since it can be rebuilt. Several processes may
// hold one file (a controller, a standalone run): each call waits up to a fifth of a second for another's and then
// fails with unavailable. One thread per object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/job_store.h"

struct sqlite3;

namespace muster {

class SqliteJobIndex {
 public:
  // Opens or makes the file (0600). A file that is damaged or no database is replaced. Fails when the folder
  // cannot be written, or when the system refuses the locks (some network file systems).
  static Result<std::unique_ptr<SqliteJobIndex>> open(const std::string& path);
  ~SqliteJobIndex();
  SqliteJobIndex(const SqliteJobIndex&) = delete;
  SqliteJobIndex& operator=(const SqliteJobIndex&) = delete;

  // True until rebuild() succeeded on this file: it is new, was damaged, or another version of muster made it.
  bool stale() const;
  // Replaces everything, at once or not at all.
  Status rebuild(const std::vector<JobRecord>& records);

  // already_exists when the id, or the submit_key unless empty, is known; the sentence names the job that has it.
  Status insert(const JobRecord& record);
  // not_found when the id is unknown.
  Status update(const JobRecord& record);
  Status erase(const JobId& job);  // unknown ids are fine
  // Oldest first.
  Result<std::vector<JobRecord>> list() const;
  Result<size_t> count() const;
  // Another number after every change that somebody else made to the file (PRAGMA data_version); -1 when it cannot be
  // read.
  int64_t others_version() const;
  // The same of a file that is only looked at: it is not made, mended or locked for long. Fails as well when it is stale.
  static Result<std::vector<JobRecord>> look(const std::string& path);

 private:
  explicit SqliteJobIndex(sqlite3* database) : database_(database) {}

  sqlite3* const database_;  // owned
};

}  // namespace muster
