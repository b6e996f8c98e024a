// How FileJobStore keeps its index in step with the folders, and does without where it cannot.
#include <fcntl.h>
#include <unistd.h>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/file_job_store.h"
#include "core/system/store/job_records.h"

namespace muster {
namespace {

using namespace store;

std::string index_path(const std::string& root) { return root + "/index.sqlite"; }
std::string stale_path(const std::string& root) { return root + "/index.stale"; }

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

void FileJobStore::open_index() {
  Result<std::unique_ptr<SqliteJobIndex>> opened = SqliteJobIndex::open(index_path(root_));
  if (!opened.ok()) return;
  index_ = std::move(*opened);
  // A process may have died between making a folder and telling the index.
  const Result<size_t> known = index_->count();
  if (known.ok() && *known == job_folders(jobs_).size()) return;
  (void)rebuild_index();
}

std::vector<JobRecord> FileJobStore::scan() const { return records_in(jobs_); }

bool FileJobStore::index_usable() const {
  if (index_ == nullptr) return false;
  const bool in_step = !missed_ && !exists(stale_path(root_)) && !index_->stale();
  return in_step || rebuild_index();
}

bool FileJobStore::rebuild_index() const {
  // Unmarked first: a change that is missed while we rebuild marks it again.
  ::unlink(stale_path(root_).c_str());
  missed_ = false;
  const Status rebuilt = index_->rebuild(scan());
  note_in_index(rebuilt);
  return rebuilt.ok();
}

void FileJobStore::note_in_index(const Status& change) const {
  if (change.ok()) return;
  missed_ = true;
  const UniqueFd marker_for_others(::open(stale_path(root_).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

bool FileJobStore::changed_elsewhere() const {
  return listed_version_ < 0 || !index_usable() || index_->others_version() != listed_version_;
}

std::vector<JobRecord> FileJobStore::list() const {
  listed_version_ = -1;
  if (!index_usable()) return scan();
  const int64_t version = index_->others_version();
  Result<std::vector<JobRecord>> known = index_->list();
  if (known.ok()) {
    listed_version_ = version;
    return std::move(*known);
  }
  note_in_index(known.status());
  return scan();
}

}  // namespace muster
