// SimStore: a JobStore on a simulated disk. It outlives controllers; what was not synced may be forgotten with the machine; it may be full.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/port/job_store.h"

namespace muster::sim {

class SimStore final : public JobStore {
 public:
  Status create(const JobRecord& record) override;
  Status update(const JobRecord& record) override;
  std::vector<JobRecord> list() const override;
  Status remove(const JobId& job) override;
  bool own(const JobId&) override { return true; }
  void disown(const JobId&) override {}
  Status append(const JobId& job, std::string_view line, bool sync) override;
  Result<std::vector<std::string>> read(const JobId& job) const override;
  Status write_private(const JobId& job, const std::string& name, std::string_view content) override;
  Result<std::string> read_private(const JobId& job, const std::string& name) const override;

  // Writes fail with `status` until it is ok again. `after`: so many appends still succeed.
  void fail_with(const Status& status, uint64_t after = 0);
  // `line_written` runs after every append that succeeded.
  void on_append(std::function<void(std::string_view line)> line_written) { line_written_ = std::move(line_written); }
  void damage_first_line(const JobId& job) { folders_[job].lines[0] = "{"; }
  void forget_after(const JobId& job, size_t lines) { folders_[job].lines.resize(lines); }
  // Its controller is dead: what it still tries to write goes nowhere.
  void freeze(bool frozen) { frozen_ = frozen; }
  // The machine went down: of what was not synced, a random part is kept.
  void lose_unsynced(Random& random);

  uint64_t appends() const { return appends_; }
  uint64_t failures() const { return failures_; }
  uint64_t changes() const { return changes_; }  // of records

 private:
  struct Folder {
    JobRecord record;
    std::vector<std::string> lines;
    size_t synced = 0;  // lines
    std::map<std::string, std::string> private_files;
  };

  Status writable();

  std::map<JobId, Folder> folders_;
  Status failure_;
  uint64_t failure_after_ = 0;
  std::function<void(std::string_view)> line_written_;
  bool frozen_ = false;
  uint64_t appends_ = 0;
  uint64_t failures_ = 0;
  uint64_t changes_ = 0;
};

}  // namespace muster::sim
