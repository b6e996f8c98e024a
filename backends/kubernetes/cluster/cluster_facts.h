// What a cluster knows of jobs: JobSets and their pods as values, read from kubectl's JSON. Pure; any text is taken, and what is not
// there stays empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace muster {

// One replicated job of a JobSet: pods of one kind.
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
  TimePoint ended;        // zero: it goes on
  std::string spec_json;  // the job, as its coordinator gets it; empty: none of ours
  End end = End::none;
  std::string why;         // of the end, or of being suspended, in JobSet's words
  bool suspended = false;  // a queue holds it …
  std::string queue;       // … of Kueue, by its name; empty: none is named
  bool leaving = false;    // it is being deleted
  std::vector<PodCount> parts;
  bool operator==(const JobSetFacts&) const = default;
};

struct PodFacts {
  std::string name;
  std::string job;       // its JobSet
  std::string part;      // its replicated job
  std::string phase;     // Pending Running Succeeded Failed Unknown
  std::string node;      // where it is; empty: nowhere yet
  bool running = false;  // its first container does
  bool ready = false;
  bool leaving = false;
  bool over = false;            // its first container has ended, and is not started again …
  bool well = false;            // … and its exit code was 0
  std::string failure_message;  // of its first container's last end: what it left for the cluster
  std::string
      last_reason;  // why that container's last life ended, where it had another or has ended: OOMKilled Error Completed …
  TimePoint last_ended;  // … and when, in whole seconds
  std::string waits;     // why it does not run, a sentence; empty: it does, or did
  TimePoint created;
  bool operator==(const PodFacts&) const = default;
};

// Why Kueue does not let in what it keeps of a job, from a list of its workloads; empty: it says nothing.
std::string read_queue_reason(std::string_view json);

// Of a list, or of one object. data_loss: this is no JSON of theirs.
Result<std::vector<JobSetFacts>> read_job_sets(std::string_view json);
Result<std::vector<PodFacts>> read_pods(std::string_view json);

// Of events that say why pods were not made, the newest about this job, in the cluster's words; empty: none.
std::string read_refusal(std::string_view json, const std::string& job);

// "2026-11-23T10:28:40Z" → TimePoint; zero: no such time.
TimePoint read_cluster_time(std::string_view text);

}  // namespace muster
