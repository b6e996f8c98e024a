// RecordIndex: the records of a state folder's jobs, from an index that is kept in step with the jobs' folders. If the
// index cannot be used or missed a change, the folders are read instead. Part of core/system/store only. Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/port/job_store.h"
#include "core/system/sqlite/sqlite_job_index.h"

namespace muster::store {

class RecordIndex {
 public:
  // Opens the index of `root`, and makes it again if it does not fit the folders. An index that cannot be used is no
  // failure.
  explicit RecordIndex(const std::string& root);

  // Oldest first.
  std::vector<JobRecord> list();
  // False: list() would return what it returned last, but for this object's own changes since.
  bool changed_elsewhere();

  // already_exists: there is a job with this id or submit key. Only an index that cannot be used is a reason to look; else
  // insert() finds out.
  Status refuse_known(const JobRecord& record);

  // A change of the folders. Only insert() can fail: already_exists, if another process took the submit key meanwhile.
  Status insert(const JobRecord& record);
  void update(const JobRecord& record);
  void erase(const JobId& job);

 private:
  std::vector<JobRecord> scan() const;
  bool usable();
  bool rebuild();
  void note(const Status& change);

  const std::string jobs_;
  const std::string stale_mark_;           // a file: the index missed a change of some process
  std::unique_ptr<SqliteJobIndex> index_;  // null: cannot be used
  bool missed_ = false;                    // the index missed a change; list() rebuilds it
  int64_t listed_version_ = -1;            // of the index, when list() read it last
};

}  // namespace muster::store
