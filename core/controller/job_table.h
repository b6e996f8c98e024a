// JobTable: every job that a controller knows. Each job has a record. A job that runs here is live and has a
// coordinator, which is kept for a while after the job's end: until all output is here and the agents have been
// dismissed. Loop thread only.
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

  // Begins with the store's records. `changed` runs after every change of a hosted job. `linger`: agents outlive this
  // process.
  JobTable(const ControllerPorts& ports, bool linger, std::function<void(const JobId& job)> changed);
  ~JobTable();
  JobTable(const JobTable&) = delete;
  JobTable& operator=(const JobTable&) = delete;

  JobRecords& records() { return records_; }
  // Reads all records from the store again. Those of live jobs stay: they are newer here.
  void read_records();

  const Live& live() const { return live_; }
  // Null: the job is not live.
  std::shared_ptr<Coordinator> live(const JobId& job) const;
  bool is_live(const JobId& job) const { return live_.count(job) > 0; }
  // Makes the job live. Its backend exists.
  std::shared_ptr<Coordinator> host(const JobId& job, JobFold fold, JobSecrets secrets);
  // Takes a live job out of the table; its record stays.
  std::shared_ptr<Coordinator> take(const JobId& job) { return live_.extract(job).mapped(); }

  // The coordinator of a live job, or of an ended one whose output is not all here yet. Null: neither.
  std::shared_ptr<Coordinator> host_of(const JobId& job) const;
  std::shared_ptr<Coordinator> host_of(const Hello& hello) const;

  // The job is live no more. Its coordinator is destroyed once its agents have been dismissed, its viewers have seen
  // the end and its output is here. Without effect on a job that is not live.
  void dismiss(const JobId& job);
  // Whether a dismissed job's output is still to come.
  bool waits_for_output() const;

  // The job as its journal in the store tells it.
  Result<std::shared_ptr<JobFold>> read(const JobId& job) const;
  // failed_precondition, with a sentence for the user: the job has not ended. It is live here, or another process hosts
  // it.
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
