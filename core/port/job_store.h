// SPDX-License-Identifier: Apache-2.0
// JobStore: the data that must outlive a controller. Each job has a folder with its record, its journal
// (docs/design/journal.md), its private files and its output. The index of records can be rebuilt; if it differs from a
// journal, the journal is right.
//
// JobStore consists of four interfaces; a caller takes the narrowest one that it needs. Loop thread only. Writes go to
// local files and return when the kernel has them; only `sync` waits for the disk.
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

// The index entry of a job: enough to find it, and for `ps -a`.
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

class JobRecordStore {
 public:
  virtual ~JobRecordStore() = default;
  // Creates the job's folder and makes this process its owner (JobOwnership). already_exists: the id or submit_key is known.
  // resource_exhausted: a disk is full; the message names it.
  virtual Status create(const JobRecord& record) = 0;
  virtual Status update(const JobRecord& record) = 0;
  // Every job, oldest first.
  virtual std::vector<JobRecord> list() const = 0;
  // False: no other process has changed the list since the last list(). Cheap.
  virtual bool changed_elsewhere() const = 0;
  // Size of the job's folder on disk, its output included; 0 if there is none.
  virtual uint64_t bytes(const JobId& job) const = 0;
  // Deletes folder and record.
  virtual Status remove(const JobId& job) = 0;
};

// Records which process hosts a job.
class JobOwnership {
 public:
  virtual ~JobOwnership() = default;
  // Makes this process the host of the job, until disown() or the end of the process. False: another live process hosts it.
  virtual bool own(const JobId& job) = 0;
  virtual void disown(const JobId& job) = 0;
};

class JournalStore {
 public:
  virtual ~JournalStore() = default;
  // In bytes: the plan of 100,000 ranks on as many nodes fits.
  static constexpr size_t kLongestLine = 64 << 20;
  // Appends one line, given without newline. The store adds version and checksum. `sync`: durable before it returns.
  // invalid_argument: the line is longer than kLongestLine.
  // resource_exhausted: there is no room for the line beside the room that is reserved for the job's last lines.
  virtual Status append(const JobId& job, std::string_view line, bool sync) = 0;
  // The same for one of the job's last lines, those of its end: it may use the reserved room. Not every store can reserve room.
  virtual Status append_last(const JobId& job, std::string_view line, bool sync) = 0;
  // The job's end is written: frees the reserved room. A later append() reserves it again.
  virtual void release_reserve(const JobId& job) = 0;
  // Ok: all appended lines are durable.
  virtual Status sync(const JobId& job) = 0;
  // The lines up to the first one with a wrong checksum; a torn last line is normal after a crash. data_loss: the first line is
  // damaged. failed_precondition: a newer muster wrote the journal.
  virtual Result<std::vector<std::string>> read(const JobId& job) const = 0;
};

// Files of a job that only the user may read (0600): environment and secrets.
class PrivateFileStore {
 public:
  virtual ~PrivateFileStore() = default;
  // Replaces the whole file at once. An empty `content` needs no free space if the file exists.
  virtual Status write_private(const JobId& job, const std::string& name, std::string_view content) = 0;
  virtual Result<std::string> read_private(const JobId& job, const std::string& name) const = 0;
};

class JobStore : public JobRecordStore, public JobOwnership, public JournalStore, public PrivateFileStore {
 public:
  ~JobStore() override = default;
};

}  // namespace muster
