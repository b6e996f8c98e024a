// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/job_records.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "core/system/store/files.h"
#include "core/system/store/record_text.h"

namespace muster::store {
namespace {

constexpr uint64_t kRecordLimit = 64 * 1024;

}  // namespace

std::vector<JobId> job_folders(const std::string& jobs) {
  std::vector<JobId> ids;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(jobs, ignored)) {
    const Result<JobId> job = JobId::parse(entry.path().filename().string());
    if (job.ok()) ids.push_back(*job);
  }
  return ids;
}

std::vector<JobRecord> records_in(const std::string& jobs) {
  std::vector<JobRecord> records;
  for (const JobId& job : job_folders(jobs)) {
    const Result<std::string> text = read_file(jobs + "/" + job.text() + "/record", kRecordLimit);
    if (!text.ok()) continue;
    Result<JobRecord> record = record_from_text(*text);
    if (record.ok() && record->id == job) records.push_back(std::move(*record));
  }
  std::sort(records.begin(), records.end(), [](const JobRecord& a, const JobRecord& b) {
    return std::tie(a.submitted, a.id) < std::tie(b.submitted, b.id);
  });
  return records;
}

}  // namespace muster::store
