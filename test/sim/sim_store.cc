// SPDX-License-Identifier: Apache-2.0
#include "test/sim/sim_store.h"

#include <algorithm>

namespace muster::sim {
namespace {

Status unknown(const JobId& job) { return Status(Code::not_found, "no job " + job.text()); }

}  // namespace

void SimStore::fail_with(const Status& status, uint64_t after) {
  failure_ = status;
  failure_after_ = after;
}

Status SimStore::writable() {
  if (failure_.ok()) return Status();
  if (failure_after_ == 0) {
    ++failures_;
    return failure_;
  }
  --failure_after_;
  return Status();
}

Status SimStore::create(const JobRecord& record, uint64_t process) {
  for (const auto& [id, folder] : folders_) {
    const bool same_key = !record.submit_key.empty() && folder.record.submit_key == record.submit_key;
    if (id == record.id || same_key) return Status(Code::already_exists, "job " + id.text() + " exists");
  }
  if (const Status status = writable(); !status.ok()) return status;
  folders_[record.id].record = record;
  own(record.id, process);
  ++changes_;
  return Status();
}

uint64_t SimStore::bytes(const JobId& job) const {
  const auto found = folders_.find(job);
  if (found == folders_.end()) return 0;
  uint64_t sum = 0;
  for (const std::string& line : found->second.lines) sum += line.size();
  for (const auto& [name, content] : found->second.private_files) sum += content.size();
  return sum;
}

Status SimStore::update(const JobRecord& record) {
  const auto found = folders_.find(record.id);
  if (found == folders_.end()) return unknown(record.id);
  if (const Status status = writable(); !status.ok()) return status;
  found->second.record = record;
  ++changes_;
  return Status();
}

std::vector<JobRecord> SimStore::list() const {
  std::vector<JobRecord> records;
  for (const auto& [id, folder] : folders_) records.push_back(folder.record);
  std::stable_sort(records.begin(), records.end(),
                   [](const JobRecord& a, const JobRecord& b) { return a.submitted < b.submitted; });
  return records;
}

Status SimStore::remove(const JobId& job) {
  ++changes_;
  return folders_.erase(job) > 0 ? Status() : unknown(job);
}

Status SimStore::append(const JobId& job, std::string_view line, bool sync) {
  if (folders_.count(job) == 0) return unknown(job);
  if (const Status status = writable(); !status.ok()) return status;
  return add_line(job, line, sync);
}

Status SimStore::append_last(const JobId& job, std::string_view line, bool sync) {
  return reserves_ ? add_line(job, line, sync) : append(job, line, sync);
}

Status SimStore::add_line(const JobId& job, std::string_view line, bool sync) {
  const auto found = folders_.find(job);
  if (found == folders_.end()) return unknown(job);
  Folder& folder = found->second;
  folder.lines.emplace_back(line);
  if (sync) note_synced(folder);
  ++appends_;
  if (line_written_) line_written_(line);
  return Status();
}

Status SimStore::sync(const JobId& job) {
  const auto found = folders_.find(job);
  if (found == folders_.end()) return unknown(job);
  if (const Status status = writable(); !status.ok()) return status;
  note_synced(found->second);
  return Status();
}

void SimStore::note_synced(Folder& folder) const {
  folder.reported_synced = folder.lines.size();
  if (!forgets_syncs_) folder.synced = folder.lines.size();
}

bool SimStore::own(const JobId& job, uint64_t process) {
  return owners_.emplace(job, process).first->second == process;
}

void SimStore::end_process(uint64_t process) {
  std::erase_if(owners_, [&](const auto& owned) { return owned.second == process; });
}

Status SimStoreSession::append(const JobId& job, std::string_view line, bool sync) {
  if (dead_) return Status();
  if (sync && disk_.sync_takes() > Duration(0)) loop_->busy_for(disk_.sync_takes());
  return disk_.append(job, line, sync);
}

Status SimStoreSession::append_last(const JobId& job, std::string_view line, bool sync) {
  if (dead_) return Status();
  if (sync && disk_.sync_takes() > Duration(0)) loop_->busy_for(disk_.sync_takes());
  return disk_.append_last(job, line, sync);
}

Status SimStoreSession::sync(const JobId& job) {
  if (dead_) return Status();
  if (disk_.sync_takes() > Duration(0)) loop_->busy_for(disk_.sync_takes());
  return disk_.sync(job);
}

Result<std::vector<std::string>> SimStore::read(const JobId& job) const {
  const auto found = folders_.find(job);
  if (found == folders_.end()) return unknown(job);
  return found->second.lines;
}

Status SimStore::write_private(const JobId& job, const std::string& name, std::string_view content) {
  const auto found = folders_.find(job);
  if (found == folders_.end()) return unknown(job);
  if (const Status status = writable(); !status.ok()) return status;
  found->second.private_files[name] = content;
  return Status();
}

Result<std::string> SimStore::read_private(const JobId& job, const std::string& name) const {
  const auto found = folders_.find(job);
  if (found == folders_.end()) return unknown(job);
  const auto file = found->second.private_files.find(name);
  if (file == found->second.private_files.end()) return Status(Code::not_found, "no file " + name);
  return file->second;
}

void SimStore::lose_unsynced(Random& random) {
  for (auto& [id, folder] : folders_) {
    const size_t kept = folder.synced + random.below(folder.lines.size() - folder.synced + 1);
    lost_synced_lines_ |= kept < folder.reported_synced;
    folder.lines.resize(kept);
    folder.synced = folder.reported_synced = kept;
  }
}

}  // namespace muster::sim
