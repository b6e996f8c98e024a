// How FileJobStore keeps its index in step with the folders, and does without where it cannot.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/adapter/asio/unique_fd.h"
#include "core/adapter/store/file_job_store.h"
#include "core/adapter/store/files.h"
#include "core/adapter/store/record_text.h"

namespace muster {
namespace {

using namespace store;

constexpr uint64_t kRecordLimit = 64 * 1024;

std::string index_path(const std::string& root) { return root + "/index.sqlite"; }
std::string stale_path(const std::string& root) { return root + "/index.stale"; }

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::vector<JobId> jobs_in(const std::string& folder) {
  std::vector<JobId> jobs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const Result<JobId> job = JobId::parse(entry.path().filename().string());
    if (job.ok()) jobs.push_back(*job);
  }
  return jobs;
}

}  // namespace

void FileJobStore::open_index() {
  Result<std::unique_ptr<SqliteJobIndex>> opened = SqliteJobIndex::open(index_path(root_));
  if (!opened.ok()) return;
  index_ = std::move(*opened);
  // A process may have died between making a folder and telling the index.
  const Result<std::vector<JobRecord>> known = index_->list();
  if (known.ok() && known->size() == jobs_in(jobs_).size()) return;
  (void)rebuild_index();
}

std::vector<JobRecord> FileJobStore::scan() const {
  std::vector<JobRecord> records;
  for (const JobId& job : jobs_in(jobs_)) {
    const Result<std::string> text = read_file(folder(job) + "/record", kRecordLimit);
    if (!text.ok()) continue;
    Result<JobRecord> record = record_from_text(*text);
    if (record.ok() && record->id == job) records.push_back(std::move(*record));
  }
  std::sort(records.begin(), records.end(), [](const JobRecord& a, const JobRecord& b) {
    return std::tie(a.submitted, a.id) < std::tie(b.submitted, b.id);
  });
  return records;
}

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

std::vector<JobRecord> FileJobStore::list() const {
  if (!index_usable()) return scan();
  Result<std::vector<JobRecord>> known = index_->list();
  if (known.ok()) return std::move(*known);
  note_in_index(known.status());
  return scan();
}

}  // namespace muster
