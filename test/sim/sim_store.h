// SPDX-License-Identifier: Apache-2.0
// SimStore: a JobStore on a simulated disk. It outlives controllers. It may be full, and lines that were not synced may be lost when
// the machine goes down.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/port/job_store.h"
#include "test/sim/sim_host.h"

namespace muster::sim {

class SimStore final : public JobStore {
 public:
  Status create(const JobRecord& record) override { return create(record, 0); }
  Status update(const JobRecord& record) override;
  std::vector<JobRecord> list() const override;
  bool changed_elsewhere() const override { return true; }
  uint64_t bytes(const JobId& job) const override;
  Status remove(const JobId& job) override;
  bool own(const JobId& job) override { return own(job, 0); }
  void disown(const JobId& job) override { owners_.erase(job); }
  Status append(const JobId& job, std::string_view line, bool sync) override;
  Status append_last(const JobId& job, std::string_view line, bool sync) override;
  void release_reserve(const JobId&) override {}
  Status sync(const JobId& job) override;
  Result<std::vector<std::string>> read(const JobId& job) const override;
  Status write_private(const JobId& job, const std::string& name, std::string_view content) override;
  Result<std::string> read_private(const JobId& job, const std::string& name) const override;

  // Writes fail with `status` until it is ok again; `after` appends still succeed.
  void fail_with(const Status& status, uint64_t after = 0);
  // Last lines are written even if writes fail.
  void reserve_room(bool reserve) { reserves_ = reserve; }
  // According to the index.
  bool has_ended(const JobId& job) const {
    const auto found = folders_.find(job);
    return found != folders_.end() && found->second.record.ended != TimePoint();
  }
  // `line_written` runs after every append that succeeded.
  void on_append(std::function<void(std::string_view line)> line_written) { line_written_ = std::move(line_written); }
  void damage_first_line(const JobId& job) { folders_[job].lines[0] = "{"; }
  void forget_after(const JobId& job, size_t lines) { folders_[job].lines.resize(lines); }
  // From now on, lines that are reported as synced are not.
  void forget_syncs(bool forget) { forgets_syncs_ = forget; }
  // The duration of a sync.
  void slow_down(Duration sync) { sync_takes_ = sync; }
  Duration sync_takes() const { return sync_takes_; }

  // Locks of a process; they end with it.
  Status create(const JobRecord& record, uint64_t process);
  bool own(const JobId& job, uint64_t process);
  void end_process(uint64_t process);

  // The machine went down: a random part of the lines that were not synced is kept.
  void lose_unsynced(Random& random);
  // True if that lost lines that were reported as synced.
  bool lost_synced_lines() const { return lost_synced_lines_; }

  uint64_t appends() const { return appends_; }
  uint64_t failures() const { return failures_; }
  uint64_t changes() const { return changes_; }  // of records

 private:
  struct Folder {
    JobRecord record;
    std::vector<std::string> lines;
    size_t synced = 0;           // lines
    size_t reported_synced = 0;  // lines reported as synced
    std::map<std::string, std::string> private_files;
  };

  Status writable();
  Status add_line(const JobId& job, std::string_view line, bool sync);
  void note_synced(Folder& folder) const;

  std::map<JobId, Folder> folders_;
  Status failure_;
  uint64_t failure_after_ = 0;
  bool reserves_ = false;
  std::function<void(std::string_view)> line_written_;
  bool forgets_syncs_ = false;
  bool lost_synced_lines_ = false;
  Duration sync_takes_{0};
  std::map<JobId, uint64_t> owners_;
  uint64_t appends_ = 0;
  uint64_t failures_ = 0;
  uint64_t changes_ = 0;
};

// The store of one process: it has its own locks, and its writes have no effect after its death. A sync blocks its loop.
class SimStoreSession final : public JobStore {
 public:
  SimStoreSession(SimStore& disk, uint64_t process, std::shared_ptr<HostLoop> loop)
      : disk_(disk),
        process_(process),
        loop_(std::move(loop)) {}
  ~SimStoreSession() override { die(); }

  void die() {
    if (!std::exchange(dead_, true)) disk_.end_process(process_);
  }

  Status create(const JobRecord& record) override { return dead_ ? Status() : disk_.create(record, process_); }
  Status update(const JobRecord& record) override { return dead_ ? Status() : disk_.update(record); }
  std::vector<JobRecord> list() const override { return disk_.list(); }
  bool changed_elsewhere() const override { return disk_.changed_elsewhere(); }
  uint64_t bytes(const JobId& job) const override { return disk_.bytes(job); }
  Status remove(const JobId& job) override { return dead_ ? Status() : disk_.remove(job); }
  bool own(const JobId& job) override { return !dead_ && disk_.own(job, process_); }
  void disown(const JobId& job) override {
    if (!dead_) disk_.disown(job);
  }
  Status append(const JobId& job, std::string_view line, bool sync) override;
  Status append_last(const JobId& job, std::string_view line, bool sync) override;
  void release_reserve(const JobId&) override {}
  Status sync(const JobId& job) override;
  Result<std::vector<std::string>> read(const JobId& job) const override { return disk_.read(job); }
  Status write_private(const JobId& job, const std::string& name, std::string_view content) override {
    return dead_ ? Status() : disk_.write_private(job, name, content);
  }
  Result<std::string> read_private(const JobId& job, const std::string& name) const override {
    return disk_.read_private(job, name);
  }

 private:
  SimStore& disk_;
  const uint64_t process_;
  std::shared_ptr<HostLoop> loop_;
  bool dead_ = false;
};

}  // namespace muster::sim
