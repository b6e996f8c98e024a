// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/file_job_store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "core/system/posix/same_file.h"
#include "core/system/store/checked_line.h"
#include "core/system/store/disk_use.h"
#include "core/system/store/files.h"
#include "core/system/store/record_text.h"

namespace muster {
namespace {

using namespace store;

constexpr size_t kOpenJournals = 64;
constexpr int kTries = 8;
constexpr uint64_t kPrivateLimit = 64 * 1024 * 1024;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    names.push_back(entry.path().filename());
  return names;
}

// Invalid: another process holds the lock, or there is no folder.
UniqueFd lock_of_folder(const std::string& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const bool held = fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return held ? UniqueFd() : std::move(fd);
}

// `.new-<pid>-<id>` and `.gone-<pid>-<id>` belong to the process with this pid, which may still be working on them. It holds a lock
// on the folder: in another pid namespace its pid says nothing.
bool owner_is_dead(const std::string& jobs, const std::string& name) {
  const size_t start = name.find('-') + 1;
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data() + start, name.data() + name.size(), pid);
  const bool gone = error == std::errc() && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
  return gone && lock_of_folder(jobs + "/" + name).valid();
}

// Makes the folder and locks it. Another process may remove it before it is locked.
Result<UniqueFd> make_locked_folder(const std::string& folder) {
  for (int tries = 0; tries < kTries; ++tries) {
    if (::mkdir(folder.c_str(), 0700) != 0) return write_failure(errno, folder.substr(0, folder.rfind('/')));
    UniqueFd lock = lock_of_folder(folder);
    if (is_still(lock, folder)) return lock;
  }
  return Status(Code::aborted, "another process removes " + folder);
}

std::string temporary(const char* kind, const JobId& job) {
  return std::string(kind) + std::to_string(::getpid()) + "-" + job.text();
}

bool is_private_name(const std::string& name) {
  const bool ours =
      name == "journal" || name == "journal.cut" || name == "owner" || name == "record" || name.starts_with("attempt-");
  return is_plain_name(name) && !ours;
}

}  // namespace

WriteCall FileJobStore::default_write() {
  return [](int fd, const void* bytes, size_t count) { return ::write(fd, bytes, count); };
}

FileJobStore::FileJobStore(std::string root, WriteCall write_call)
    : root_(std::move(root)),
      jobs_(root_ + "/jobs"),
      write_call_(std::move(write_call)) {}

Result<std::unique_ptr<FileJobStore>> FileJobStore::open(const std::string& root, WriteCall write_call) {
  if (const Status made = make_folders(root + "/jobs"); !made.ok()) return made;
  if (::access((root + "/jobs").c_str(), W_OK | X_OK) != 0) return write_failure(errno, root + "/jobs");
  spread_folders(root + "/jobs");
  std::unique_ptr<FileJobStore> store(new FileJobStore(root, std::move(write_call)));
  store->clean_up();
  store->index_.emplace(root);
  return store;
}

void FileJobStore::clean_up() const {
  for (const std::string& name : names_in(jobs_)) {
    if (name.starts_with('.') && owner_is_dead(jobs_, name)) (void)remove_tree(jobs_, name);
  }
}

std::string FileJobStore::folder(const JobId& job) const { return jobs_ + "/" + job.text(); }

// --- jobs

Status FileJobStore::create(const JobRecord& record) {
  MUSTER_CHECK(!record.id.empty());
  const std::string temporary_name = temporary(".new-", record.id);
  const std::string fresh = jobs_ + "/" + temporary_name;
  const std::string final_folder = folder(record.id);
  if (const Status free = index_->refuse_known(record); !free.ok()) return free;
  const Result<UniqueFd> lock = make_locked_folder(fresh);  // until it has its final name
  Status made = lock.ok() ? write_new_folder(record, fresh) : lock.status();
  // Locked before the rename: otherwise another process could think that the job's host has died.
  if (made.ok() && !owned_.take_new(record.id, fresh, final_folder))
    made = Status(Code::aborted, "another muster process has locked job " + record.id.text());
  if (made.ok() && ::rename(fresh.c_str(), final_folder.c_str()) != 0) {
    const bool taken = errno == ENOTEMPTY || errno == EEXIST;
    made = taken ? Status(Code::already_exists, "job " + record.id.text() + " exists already")
                 : write_failure(errno, jobs_);
  }
  if (!made.ok()) {
    disown(record.id);
    (void)remove_tree(jobs_, temporary_name);
    // The message names the state folder, not the temporary one.
    return made.code() == Code::resource_exhausted ? write_failure(ENOSPC, root_) : made;
  }
  const Status indexed = index_->insert(record);
  if (indexed.ok()) return Status();
  disown(record.id);
  (void)remove_tree(jobs_, record.id.text());
  return indexed;
}

Status FileJobStore::write_new_folder(const JobRecord& record, const std::string& fresh) {
  const Result<std::string> text = record_to_text(record);
  if (!text.ok()) return text.status();
  if (const Status written = replace_file(fresh, "record", *text); !written.ok()) return written;
  return replace_file(fresh, "journal", "");
}

Status FileJobStore::update(const JobRecord& record) {
  const Result<std::string> text = record_to_text(record);
  if (!text.ok()) return text.status();
  const std::string place = folder(record.id);
  if (::access(place.c_str(), F_OK) != 0) return errno_status(errno, "job " + record.id.text());
  if (const Status written = replace_file(place, "record", *text); !written.ok()) return written;
  index_->update(record);
  return Status();
}

std::vector<JobRecord> FileJobStore::list() const { return index_->list(); }

bool FileJobStore::changed_elsewhere() const { return index_->changed_elsewhere(); }

uint64_t FileJobStore::bytes(const JobId& job) const { return bytes_below(folder(job)); }

Status FileJobStore::remove(const JobId& job) {
  close_journal(job);
  disown(job);
  const std::string gone = temporary(".gone-", job);
  // The rename makes the job disappear atomically. If this process dies later, clean_up() removes the rest.
  if (::rename(folder(job).c_str(), (jobs_ + "/" + gone).c_str()) != 0) return errno_status(errno, "job " + job.text());
  index_->erase(job);
  return remove_tree(jobs_, gone);
}

// --- ownership

bool FileJobStore::own(const JobId& job) {
  if (owned_.has(job)) return true;
  if (!owned_.take(job, folder(job))) return false;
  remove_half_written(folder(job));  // left by the previous owner, if it was killed
  return true;
}

bool FileJobStore::renew_ownership() { return owned_.renew(); }

void FileJobStore::disown(const JobId& job) {
  close_journal(job);  // this process does not write to it any more
  owned_.release(job);
}

// --- journals

Result<JournalFile*> FileJobStore::open_journal(const JobId& job) {
  const auto found =
      std::find_if(journals_.begin(), journals_.end(), [&](const OpenJournal& open) { return open.job == job; });
  if (found != journals_.end()) {
    journals_.splice(journals_.begin(), journals_, found);
    return &journals_.front().file;
  }
  Result<JournalFile> file = JournalFile::open(folder(job), write_call_);
  if (!file.ok()) return file.status();
  if (journals_.size() >= kOpenJournals) journals_.pop_back();
  journals_.push_front({job, std::move(*file)});
  return &journals_.front().file;
}

void FileJobStore::close_journal(const JobId& job) {
  journals_.remove_if([&](const OpenJournal& open) { return open.job == job; });
}

Status FileJobStore::append(const JobId& job, std::string_view line, bool sync) {
  const Result<JournalFile*> file = open_journal(job);
  if (!file.ok()) return file.status();
  return finish_append(job, (*file)->append(line, sync));
}

Status FileJobStore::append_last(const JobId& job, std::string_view line, bool sync) {
  const Result<JournalFile*> file = open_journal(job);
  if (!file.ok()) return file.status();
  return finish_append(job, (*file)->append_last(line, sync));
}

// The next append opens the journal again, which repairs it.
Status FileJobStore::finish_append(const JobId& job, Status appended) {
  if (!appended.ok() && appended.code() != Code::invalid_argument) close_journal(job);
  return appended;
}

// Without JournalFile, which would repair a damaged journal. Truncating a file to its size frees the blocks behind its end.
void FileJobStore::release_reserve(const JobId& job) {
  close_journal(job);
  const UniqueFd fd(::open((folder(job) + "/journal").c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat file {};
  if (!fd.valid() || ::fstat(fd.get(), &file) != 0) return;
  [[maybe_unused]] const int ignored = ::ftruncate(fd.get(), file.st_size);
}

Status FileJobStore::sync(const JobId& job) {
  const Result<JournalFile*> file = open_journal(job);
  return file.ok() ? (*file)->sync() : file.status();
}

Result<std::vector<std::string>> FileJobStore::read(const JobId& job) const {
  const Result<std::string> content = read_file(folder(job) + "/journal", kJournalLimit);
  if (content.status().code() == Code::not_found) {
    if (::access(folder(job).c_str(), F_OK) == 0)
      return Status(Code::data_loss, "the journal of job " + job.text() + " is missing: " + folder(job) + "/journal");
    return Status(Code::not_found, folder(job) + " was removed, so nothing is known about the job");
  }
  if (!content.ok()) return content.status();
  JournalText text = parse_journal(*content);
  if (text.newer) {
    return Status(Code::failed_precondition,
                  "the journal of job " + job.text() + " was written by a newer version of muster");
  }
  const bool begun = content->find('\n') != std::string::npos;
  if (text.lines.empty() && begun)
    return Status(Code::data_loss,
                  "the journal of job " + job.text() + " is damaged at its beginning: " + folder(job) + "/journal");
  return std::move(text.lines);
}

// --- private files

Status FileJobStore::write_private(const JobId& job, const std::string& name, std::string_view content) {
  if (!is_private_name(name))
    return Status(Code::invalid_argument, "`" + name + "` is not a valid name of a job's private file");
  if (content.size() > kPrivateLimit)
    return Status(Code::invalid_argument, "a private file of a job is larger than 64 MiB");
  const std::string place = folder(job);
  if (::access(place.c_str(), F_OK) != 0) return errno_status(errno, "job " + job.text());
  if (content.empty() && empty_file(place + "/" + name)) return Status();
  return replace_file(place, name, content);
}

Result<std::string> FileJobStore::read_private(const JobId& job, const std::string& name) const {
  if (!is_private_name(name))
    return Status(Code::invalid_argument, "`" + name + "` is not a valid name of a job's private file");
  return read_file(folder(job) + "/" + name, kPrivateLimit);
}

}  // namespace muster
