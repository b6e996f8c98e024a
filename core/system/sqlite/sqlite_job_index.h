// SPDX-License-Identifier: Apache-2.0
// SqliteJobIndex: a table of JobRecord in one file, so that `ps -a` does not have to open a folder per job. The job folders
// are authoritative: if the index is stale(), the caller rebuilds it from them (core/system/store).
//
// It has no write-ahead log, since the home folder may be on NFS, and is not synced, since it can be rebuilt. Several
// processes may use one file (a controller, a standalone run). A call waits up to 200 ms for another process's lock and
// then fails with unavailable. One thread per object.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/job_store.h"

struct sqlite3;

namespace muster {

class SqliteJobIndex {
 public:
  // Opens or creates the file (0600). Replaces a file that is damaged or not a database. Fails if the folder is not
  // writable, or if the file system does not support locks (some network file systems).
  static Result<std::unique_ptr<SqliteJobIndex>> open(const std::string& path);
  ~SqliteJobIndex();
  SqliteJobIndex(const SqliteJobIndex&) = delete;
  SqliteJobIndex& operator=(const SqliteJobIndex&) = delete;

  // True until rebuild() has succeeded on this file: it is new, was damaged, or another version of muster made it.
  bool stale() const;
  // Whether the file was deleted or replaced, so that other processes use another one.
  bool moved() const;
  // Replaces all records atomically. `records` is called while no other process can change the index, so that none of their changes
  // is lost.
  Status rebuild(const std::function<std::vector<JobRecord>()>& records);

  // Replaces a record with this id: another process may have found the job's folder and rebuilt the index. already_exists: another
  // job has this submit_key (if not empty); the message names it.
  Status insert(const JobRecord& record);
  // not_found: the id is unknown.
  Status update(const JobRecord& record);
  Status erase(const JobId& job);  // OK if the id is unknown
  // Oldest first.
  Result<std::vector<JobRecord>> list() const;
  Result<size_t> count() const;
  // A number that differs after each change by another process (PRAGMA data_version). -1: it cannot be read.
  int64_t others_version() const;
  // list() for a file that is only read: does not create or repair it, and waits at most 10 ms for a lock. Also fails if
  // the index is stale.
  static Result<std::vector<JobRecord>> look(const std::string& path);

 private:
  explicit SqliteJobIndex(sqlite3* database) : database_(database) {}

  sqlite3* const database_;  // owned
};

}  // namespace muster
