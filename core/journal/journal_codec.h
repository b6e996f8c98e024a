// The lines of a job's journal: machine events and the few facts the runtime adds, each a JSON object (one line) with
// its time `t` in UNIX nanoseconds and its kind `k`. The store adds format version and checksum (DESIGN.md §9.3).
//
// Reading never throws; an unknown kind is kept as Unknown, so that an older muster can show a newer journal.
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

// The first line: everything a job is made of but its secrets and environment.
struct Submission {
  JobId id;
  std::string name;
  JobSpec spec;
  Plan plan;
  std::vector<JobHost> hosts;  // that it may use, where the backend does not know them by itself
  uint64_t seed = 1;
  std::string origin;
  std::string code_commit;
  std::string code_hash;  // of the snapshot that travels to its hosts; empty: none does
  std::string submit_key;
  bool standalone = false;  // hosted by `run --standalone`: ends with its host
  bool copy = false;        // of a job that another host decides (coordinator proxy.h)
  bool operator==(const Submission&) const = default;
};

// Where the services of an attempt listen: fixed before its first desired state, so that a controller that takes over tells the
// same. Where groups begin anew by themselves, of those that begin: port 0 for the others, which keep theirs.
struct AttemptEndpoints {
  Attempt attempt = 0;
  SharedVector<Endpoint> endpoints;  // by group
  SharedVector<Endpoint> fronts;     // by node; none unless `store: proxy`
  SharedVector<PortsByOwner> ports;  // by node; none where nobody needs any
  bool operator==(const AttemptEndpoints&) const = default;
};

// The devices the queue found for the job when it was admitted; nodes and ranks are those of the submission.
struct Replanned {
  Plan plan;
  bool operator==(const Replanned&) const = default;
};

// Where a queued job stands from here on.
struct Arranged {
  queue::Place place;
  std::string sentence;  // empty: it only made room
  bool operator==(const Arranged&) const = default;
};

// Something the runtime tells people that decides nothing: "the code in … changed since the job was submitted".
struct Remark {
  std::string sentence;
  bool trouble = false;  // something was lost: told again with how the job ended
  bool operator==(const Remark&) const = default;
};

// Which code the job was submitted with (Submission::code_commit), where that took longer to find out than to begin.
struct CodeNoted {
  std::string commit;
  bool operator==(const CodeNoted&) const = default;
};

// How far an attempt had come when it ended.
struct ProgressMade {
  Attempt attempt = 0;
  JobProgress progress;
  bool operator==(const ProgressMade&) const = default;
};

// All ranks of an attempt were seen past their imports (Report::met).
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

// data_loss when the text is no entry of this format.
Result<JournalLine> decode_line(std::string_view text);

// "node-up", "reported", … as in the line's `k`.
std::string kind_of(const JournalEntry& entry);

// Stands in every line of such an entry, and in no other.
std::string mark_of(const JournalEntry& entry);

}  // namespace muster
