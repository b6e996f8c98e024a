// SPDX-License-Identifier: Apache-2.0
// RecordIndex: the records of a state folder's jobs, from an index that is kept consistent with the jobs' folders. If the
// index cannot be used or missed a change, the folders are read instead. Used only in core/system/store. Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/port/job_store.h"
#include "core/system/sqlite/sqlite_job_index.h"

namespace muster::store {

class RecordIndex {
 public:
  // Opens the index of `root`, and rebuilds it if it does not match the folders. Works without an index if it cannot be
  // used.
  explicit RecordIndex(const std::string& root);

  // Oldest first.
  std::vector<JobRecord> list();
  // False: no other process has changed the result of list() since its last call.
  bool changed_elsewhere();

  // already_exists: there is a job with this id or submit key. Checks only if the index cannot be used; otherwise insert()
  // checks.
  Status refuse_known(const JobRecord& record);

  // Record a change of the folders. Only insert() can fail: already_exists if another process used the submit key
  // meanwhile.
  Status insert(const JobRecord& record);
  void update(const JobRecord& record);
  void erase(const JobId& job);

 private:
  std::vector<JobRecord> scan() const;
  void open();
  void follow_file();
  bool usable();
  bool rebuild();
  void note(const Status& change);

  const std::string path_;
  const std::string jobs_;
  const std::string complete_mark_;    // a file: the index missed no change. Its removal needs no room on a full disk
  const std::string rebuilding_mark_;  // becomes complete_mark_ after a rebuild, unless a change was missed meanwhile
  std::unique_ptr<SqliteJobIndex> index_;  // null: cannot be used
  bool missed_ = false;                    // the index missed a change; list() rebuilds it
  int64_t listed_version_ = -1;            // version of the index at the last list()
};

}  // namespace muster::store
