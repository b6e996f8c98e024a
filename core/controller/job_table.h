// SPDX-License-Identifier: Apache-2.0
// JobTable: every job that a controller knows. Each job has a record. A job that is queued or runs in this process is live and
// has a coordinator. The coordinator is kept after the job's end until all output has arrived and the agents are dismissed. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "core/controller/controller_ports.h"
#include "core/coordinator/coordinator.h"
#include "core/journal/job_lookup.h"

namespace muster {

class JobTable {
 public:
  using Live = std::map<JobId, std::shared_ptr<Coordinator>>;

  // Reads the records from the store. `changed` is called after every change of a hosted job. `linger`: agents outlive this
  // process.
  JobTable(const ControllerPorts& ports, bool linger, std::function<void(const JobId& job)> changed);
  ~JobTable();
  JobTable(const JobTable&) = delete;
  JobTable& operator=(const JobTable&) = delete;

  JobRecords& records() { return records_; }
  // Reads all records from the store again. Records of live jobs are kept, since they are newer than the store.
  void read_records();

  const Live& live() const { return live_; }
  // Null: the job is not live.
  std::shared_ptr<Coordinator> live(const JobId& job) const;
  bool is_live(const JobId& job) const { return live_.count(job) > 0; }
  // Makes the job live. Its backend must exist.
  std::shared_ptr<Coordinator> host(const JobId& job, JobFold fold, JobSecrets secrets);
  // Removes a live job from the live ones and returns its coordinator; the record stays.
  std::shared_ptr<Coordinator> take(const JobId& job) { return live_.extract(job).mapped(); }

  // The coordinator of a live job, or of an ended one whose output has not all arrived. Null: neither.
  std::shared_ptr<Coordinator> host_of(const JobId& job) const;
  std::shared_ptr<Coordinator> host_of(const Hello& hello) const;

  // The job is no longer live. Its coordinator is destroyed once its agents are dismissed, its viewers were sent the end, and all
  // its output has arrived. No effect if the job is not live.
  void dismiss(const JobId& job);
  // Whether output of a dismissed job has not arrived yet.
  bool waits_for_output() const;

  // Reads the job from its journal in the store.
  Result<std::shared_ptr<JobFold>> read(const JobId& job) const;
  // failed_precondition, with a sentence for the user: the job has not ended. It is live here, or another process hosts it.
  Status refuse_running(const JobId& job);

 private:
  void forget_later(const JobId& job);

  const ControllerPorts& ports_;
  const bool linger_;
  const std::function<void(const JobId& job)> changed_;
  JobRecords records_;
  Live live_;
  Live dismissed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
