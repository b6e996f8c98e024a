// JobStore: what must outlive a controller: one folder per job with its journal (DESIGN.md §9.3), its private files and
// its output; an index of names that can be rebuilt. Not a database of truth: the journal is.
//
// Loop thread only. Writes go to local files and return when the kernel has them; only `sync` waits for the disk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/time.h"

namespace muster {

// What the index knows of a job, enough for finding it and for `ps -a` of jobs long done.
struct JobRecord {
  JobId id;
  std::string name;
  std::string state;  // job::to_string(Phase) or the outcome
  TimePoint submitted;
  TimePoint ended;         // zero: not ended
  std::string submit_key;  // the client's idempotency key
  uint64_t bytes = 0;      // on disk, once it has ended

  bool has_ended() const { return ended != TimePoint(); }
  bool operator==(const JobRecord&) const = default;
};

class JobStore {
 public:
  virtual ~JobStore() = default;

  // Makes the job's folder, and this process its host (own). already_exists when the id or submit_key is known.
  // resource_exhausted names the full disk.
  virtual Status create(const JobRecord& record) = 0;
  virtual Status update(const JobRecord& record) = 0;  // of the index
  // Every job, oldest first.
  virtual std::vector<JobRecord> list() const = 0;
  // False: list() would give what it gave last, but for this object's own changes since. Cheap.
  virtual bool changed_elsewhere() const { return true; }
  // What the job's folder takes on disk, its output included; 0 when there is none.
  virtual uint64_t bytes(const JobId& /*job*/) const { return 0; }
  // Deletes folder and index entry.
  virtual Status remove(const JobId& job) = 0;

  // This process hosts the job from here on, until disown() or its end, however it ends. False: another live process
  // does.
  virtual bool own(const JobId& job) = 0;
  virtual void disown(const JobId& job) = 0;

  // One line, without its newline. The sink adds version and checksum. `sync`: durable before it returns.
  virtual Status append(const JobId& job, std::string_view line, bool sync) = 0;
  // What was appended is durable when this is ok.
  virtual Status sync(const JobId& job) = 0;
  // The lines whose checksum holds, up to the first that does not; a torn last line is normal after a crash. data_loss:
  // already the first is damaged; failed_precondition: a newer muster wrote it.
  virtual Result<std::vector<std::string>> read(const JobId& job) const = 0;

  // A file of the job that only the user may read (0600): environment and secrets.
  virtual Status write_private(const JobId& job, const std::string& name, std::string_view content) = 0;
  virtual Result<std::string> read_private(const JobId& job, const std::string& name) const = 0;
};

}  // namespace muster
