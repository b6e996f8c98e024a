// SPDX-License-Identifier: Apache-2.0
// The lines of a job's journal: machine events, and a few facts that the coordinator adds. Each is a JSON object on one line, with
// its time `t` in UNIX nanoseconds and its kind `k`. The store adds format version and checksum (docs/design/journal.md).
//
// Reading never throws. An unknown kind becomes UnknownEntry, so that an older muster can show a newer journal.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/framework/framework.h"
#include "core/job/job_spec.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"
#include "core/machine/job/job.h"
#include "core/machine/queue/queue.h"
#include "core/port/control_messages.h"

namespace muster {

// The first line: the complete job, except its secrets and environment.
struct Submission {
  JobId id;
  std::string name;
  JobSpec spec;
  Plan plan;
  std::vector<JobHost> hosts;  // that it may use, if the backend does not know them by itself
  uint64_t seed = 1;
  std::string origin;
  std::string manifest;  // SubmitRequest::manifest
  std::string code_commit;
  std::string code_hash;  // of the snapshot that is delivered to its hosts; empty: none
  std::string submit_key;
  bool standalone = false;  // hosted by `run --standalone`: ends with its host
  bool copy = false;        // a copy on a host whose coordinator is on another host (core/coordinator/proxy)
  bool operator==(const Submission&) const = default;
};

// The endpoints of an attempt's services. They are fixed before its first desired state, so that a controller that takes over sends
// the same. If groups restart by themselves, these are the endpoints of the groups that begin; the others have port 0 and keep
// theirs.
struct AttemptEndpoints {
  Attempt attempt = 0;
  SharedVector<Endpoint> endpoints;  // by group
  SharedVector<Endpoint> fronts;     // by node; none unless `store: proxy`
  SharedVector<PortsByOwner> ports;  // by node; empty if no service needs any
  bool operator==(const AttemptEndpoints&) const = default;
};

// The devices that the queue assigned when the job was admitted; nodes and ranks are those of the submission.
struct Replanned {
  Plan plan;
  bool operator==(const Replanned&) const = default;
};

// The new place of a queued job.
struct Arranged {
  queue::Place place;
  std::string sentence;  // empty: the job was moved only to make place for another
  bool operator==(const Arranged&) const = default;
};

// A note for people that has no effect on the job: "the code in … changed since the job was submitted".
struct Remark {
  std::string sentence;
  bool trouble = false;  // a problem: it is repeated when the job ends
  bool operator==(const Remark&) const = default;
};

// The commit of the job's code (Submission::code_commit), if it was not known yet at submit.
struct CodeNoted {
  std::string commit;
  bool operator==(const CodeNoted&) const = default;
};

// The progress of an attempt when it ended.
struct ProgressMade {
  Attempt attempt = 0;
  JobProgress progress;
  bool operator==(const ProgressMade&) const = default;
};

// All ranks of an attempt had finished their imports (Report::met).
struct Working {
  Attempt attempt = 0;
  uint32_t gang = 0;
  TimePoint since;
  TimePoint importing;  // Report::importing
  bool operator==(const Working&) const = default;
};

struct UnknownEntry {
  std::string kind;
  bool operator==(const UnknownEntry&) const = default;
};

using JournalEntry = std::variant<Submission, job::Event, AttemptEndpoints, Replanned, Arranged, Remark, CodeNoted,
                                  ProgressMade, Working, UnknownEntry>;

struct JournalLine {
  TimePoint time;
  JournalEntry entry;
  bool operator==(const JournalLine&) const = default;
};

std::string encode_line(const JournalLine& line);

// data_loss: the text is no entry of this format.
Result<JournalLine> decode_line(std::string_view text);

// The kind of an entry, as in the line's `k`: "node-up", "reported", …
std::string kind_of(const JournalEntry& entry);

// A text that occurs in every line of such an entry, and in no other line.
std::string mark_of(const JournalEntry& entry);

}  // namespace muster
