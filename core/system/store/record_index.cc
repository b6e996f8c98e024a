// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/record_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/job_records.h"

namespace muster::store {

RecordIndex::RecordIndex(const std::string& root)
    : path_(root + "/index.sqlite"),
      jobs_(root + "/jobs"),
      complete_mark_(root + "/index.complete"),
      rebuilding_mark_(root + "/index.rebuilding") {
  open();
}

void RecordIndex::open() {
  Result<std::unique_ptr<SqliteJobIndex>> opened = SqliteJobIndex::open(path_);
  if (!opened.ok()) return;
  index_ = std::move(*opened);
  // A process may have died after creating a folder and before changing the index.
  const Result<size_t> known = index_->count();
  if (known.ok() && *known == job_folders(jobs_).size()) return;
  (void)rebuild();
}

std::vector<JobRecord> RecordIndex::scan() const { return records_in(jobs_); }

// Other processes use the new file if the index was deleted.
void RecordIndex::follow_file() {
  if (index_ == nullptr || !index_->moved()) return;
  index_.reset();
  listed_version_ = -1;
  open();
}

bool RecordIndex::usable() {
  follow_file();
  if (index_ == nullptr) return false;
  const bool marked = ::access(complete_mark_.c_str(), F_OK) == 0;
  const bool in_step = !missed_ && marked && !index_->stale();
  return in_step || rebuild();
}

bool RecordIndex::rebuild() {
  const UniqueFd mark(::open(rebuilding_mark_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  missed_ = false;
  const Status rebuilt = index_->rebuild([this] { return scan(); });
  note(rebuilt);
  if (rebuilt.ok()) (void)::rename(rebuilding_mark_.c_str(), complete_mark_.c_str());
  return rebuilt.ok();
}

// If the index did not take the change, other processes learn it too.
void RecordIndex::note(const Status& change) {
  if (change.ok()) return;
  missed_ = true;
  ::unlink(rebuilding_mark_.c_str());
  ::unlink(complete_mark_.c_str());
}

bool RecordIndex::changed_elsewhere() {
  return listed_version_ < 0 || !usable() || index_->others_version() != listed_version_;
}

std::vector<JobRecord> RecordIndex::list() {
  listed_version_ = -1;
  if (!usable()) return scan();
  const int64_t version = index_->others_version();
  Result<std::vector<JobRecord>> known = index_->list();
  if (known.ok()) {
    listed_version_ = version;
    return std::move(*known);
  }
  note(known.status());
  return scan();
}

Status RecordIndex::refuse_known(const JobRecord& record) {
  if (usable()) return Status();
  for (const JobRecord& known : scan()) {
    const bool same_submit = !record.submit_key.empty() && known.submit_key == record.submit_key;
    if (!same_submit && known.id != record.id) continue;
    return Status(Code::already_exists,
                  "this submit has already made job " + known.name + " (" + known.id.text() + ")");
  }
  return Status();
}

Status RecordIndex::insert(const JobRecord& record) {
  follow_file();
  if (index_ == nullptr) return Status();
  const Status inserted = index_->insert(record);
  if (inserted.code() == Code::already_exists) return inserted;
  note(inserted);
  return Status();
}

void RecordIndex::update(const JobRecord& record) {
  follow_file();
  if (index_ != nullptr) note(index_->update(record));
}

void RecordIndex::erase(const JobId& job) {
  follow_file();
  if (index_ != nullptr) note(index_->erase(job));
}

}  // namespace muster::store
