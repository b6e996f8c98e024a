// SPDX-License-Identifier: Apache-2.0
// JobSets and their pods as values, read from kubectl's JSON. Pure. Accepts any text; fields that are missing stay empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace muster {

// Pod counts of one replicated job of a JobSet.
struct PodCount {
  std::string part;
  uint32_t ready = 0;
  uint32_t active = 0;
  uint32_t succeeded = 0;
  uint32_t failed = 0;
  bool operator==(const PodCount&) const = default;
};

struct JobSetFacts {
  enum class End { none, completed, failed };
  std::string name;
  std::string uid;
  TimePoint created;
  TimePoint ended;        // zero: not ended
  std::string spec_json;  // the job as its coordinator gets it; empty: not a JobSet of muster
  End end = End::none;
  std::string why;         // JobSet's message about its end or its suspension
  bool suspended = false;  // a queue holds it
  std::string queue;       // name of the Kueue queue; empty: none is named
  bool leaving = false;    // is being deleted
  std::vector<PodCount> parts;
  bool operator==(const JobSetFacts&) const = default;
};

struct PodFacts {
  std::string name;
  std::string job;       // its JobSet
  std::string part;      // its replicated job
  std::string phase;     // Pending Running Succeeded Failed Unknown
  std::string node;      // empty: not scheduled yet
  bool running = false;  // muster's container runs, whatever others the cluster added to the pod
  bool ready = false;
  bool leaving = false;
  bool over = false;                // that container has ended and will not be restarted
  bool well = false;                // that container has ended with exit code 0
  std::string termination_message;  // of that container's last end
  std::string last_reason;          // of that end: OOMKilled Error Completed …; empty: it never ended
  TimePoint last_ended;             // time of that end, in whole seconds
  std::string waits;                // why it does not run, as a sentence; empty: it runs or has run
  // The events that may say more about `waits` (cluster_events.h).
  enum class Events { none, of_pod, of_claims };
  Events events = Events::none;
  std::vector<std::string> claims;  // the PersistentVolumeClaims that it mounts
  TimePoint created;
  bool operator==(const PodFacts&) const = default;
};

// Why Kueue does not admit a job, from a list of the job's Workloads; empty: Kueue gives no reason.
std::string read_queue_reason(std::string_view json);

// Reads a list or one object. data_loss: not a JSON object.
Result<std::vector<JobSetFacts>> read_job_sets(std::string_view json);
Result<std::vector<PodFacts>> read_pods(std::string_view json);

// "2026-11-23T10:28:40Z" → TimePoint; zero: not such a time.
TimePoint read_cluster_time(std::string_view text);

}  // namespace muster
