// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/stored_jobs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/system/posix/unique_fd.h"
#include "core/system/sqlite/sqlite_job_index.h"
#include "core/system/store/checked_line.h"
#include "core/system/store/files.h"
#include "core/system/store/job_records.h"

namespace muster {
namespace {

constexpr size_t kLongestSearch = 32 << 20;
constexpr size_t kPiece = 64 << 10;

UniqueFd open_journal(const std::string& root, const JobId& job) {
  const std::string path = root + "/jobs/" + job.text() + "/journal";
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

// Reads until the first line has ended.
std::string beginning(const std::string& root, const JobId& job) {
  const UniqueFd fd = open_journal(root, job);
  std::string text;
  for (size_t read = kPiece; fd.valid() && read == kPiece && text.size() < kLongestSearch;) {
    const size_t old = text.size();
    text.resize(old + kPiece);
    read = static_cast<size_t>(std::max<ssize_t>(::read(fd.get(), text.data() + old, kPiece), 0));
    text.resize(old + read);
    if (text.find('\n', old) != std::string::npos) break;
  }
  return text;
}

}  // namespace

std::vector<JobRecord> stored_jobs(const std::string& root) {
  std::error_code ignored;
  if (std::filesystem::exists(root + "/index.complete", ignored)) {
    if (auto known = SqliteJobIndex::look(root + "/index.sqlite"); known.ok()) return std::move(*known);
  }
  return store::records_in(root + "/jobs");
}

Result<std::string> stored_submission(const std::string& root, const JobId& job) {
  const std::string text = beginning(root, job);
  const size_t end = text.find('\n');
  const auto line = store::read_checked_line(std::string_view(text).substr(0, end));
  if (end == std::string::npos || !line)
    return Status(Code::not_found, "there is no readable journal of job " + job.text());
  return std::string(*line);
}

bool stored_journal_has(const std::string& root, const JobId& job, std::string_view bytes) {
  const UniqueFd fd = open_journal(root, job);
  std::string text;
  size_t first = std::string::npos;  // end of the first line
  for (size_t read = kPiece; fd.valid() && read == kPiece && text.size() < kLongestSearch;) {
    const size_t old = text.size();
    text.resize(old + kPiece);
    read = static_cast<size_t>(std::max<ssize_t>(::read(fd.get(), text.data() + old, kPiece), 0));
    text.resize(old + read);
    if (first == std::string::npos) first = text.find('\n', old);
    const size_t from = std::max(first, old - std::min(old, bytes.size()));
    if (first != std::string::npos && text.find(bytes, from) != std::string::npos) return true;
  }
  return false;
}

}  // namespace muster
