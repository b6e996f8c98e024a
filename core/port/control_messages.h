// What a command line, UI or SDK says to a controller, as values; control.proto carries them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/base/rare.h"
#include "core/base/time.h"
#include "core/job/exit_status.h"
#include "core/job/process_settings.h"
#include "core/port/idle_agent.h"
#include "core/port/output_files.h"
#include "core/rank/finding.h"
#include "core/rank/progress.h"
#include "core/rank/rank_use.h"

namespace muster {

struct SubmitRequest {
  std::string submit_key;  // random per submit: a repeated one gets the same job
  std::string spec_json;   // model/job_yaml spec_to_json, workdir absolute, name set
  std::string origin;      // the file it came from, for people; empty: the command line
  std::string
      code_commit;  // of workdir at submit, "" when no repository, or not known yet (note_code); "+dirty" behind it when changed
  std::map<std::string, std::string> environment;  // of the submitting shell (local backend)
  std::map<std::string, std::string> secrets;      // resolved values of `env: {X: {from: …}}`
  ProcessSettings settings;                        // of the submitting shell (local backend)
  std::string code_hash;                           // of the snapshot of workdir that was taken; empty: none
  std::string hosts_json;                          // model/job_host: those it may use; empty: none were asked
};

struct ListRequest {
  bool all = false;      // those that ended long ago too
  bool measure = false;  // what ranks use is to be known, from now on and for some seconds
};

// By name, id, or the beginning of either; a text is one that only asks for the job.
struct DescribeRequest {
  DescribeRequest(std::string its_job, bool its_examine = false) : job(std::move(its_job)), examine(its_examine) {}
  DescribeRequest(const char* its_job) : job(its_job) {}

  std::string job;
  bool examine = false;  // where its ranks stand is to be known, from now on and for some seconds
};

struct RankView {
  uint32_t index = 0;  // into the plan
  std::string group;
  Rank rank = 0;     // in its group
  std::string name;  // "rank 3", "trainer 0"
  NodeIndex node = 0;
  std::string host;
  std::string phase;  // waiting starting running stopping exited
  Rare<ExitStatus> exit;
  int64_t pid = 0;
  std::vector<std::string> gpus;
  std::vector<uint32_t> cpus;
  TimePoint started;
  TimePoint ended;
  std::optional<Progress> progress;  // as it told last
  std::optional<RankFinding> finding;
  Rare<RankLocation> standing;  // of a finding, or while somebody has it examined (DescribeRequest)
  uint32_t pace = 0;            // permille of the median rank's; 0: not known
  std::optional<RankUse> use;   // while somebody has it measured (ListRequest)
  bool operator==(const RankView&) const = default;
};

// One attempt in retrospect; where groups begin anew by themselves, of one group.
struct AttemptView {
  Attempt attempt = 0;
  std::string group;    // that began; empty: all
  TimePoint placed;     // when it was decided to run it
  TimePoint preparing;  // when its code was first on its way to a node, or setup was all it waited for; zero: neither
  TimePoint prepared;   // when that was done on all of them; zero: not yet, or never
  TimePoint importing;  // when a warm parent began to import what they need; zero: none had to
  TimePoint running;    // when all its ranks ran; zero: never
  TimePoint working;    // when they were seen past their imports; zero: not, or nobody can tell
  TimePoint stopping;   // when what was left of it was told to end, or had ended; zero: it goes on
  TimePoint ended;      // zero: still alive
  std::string cause;    // the sentence of its first failure; empty: none
  std::optional<uint32_t> culprit;  // the rank's index
  ExitStatus culprit_exit;
  std::vector<std::string> consequences;  // what others died of because of it, a sentence each
  std::string stack;                      // of ranks that hung, in lines; empty: none did, or none was seen
  bool operator==(const AttemptView&) const = default;
};

// How far the attempt is: as far as its slowest rank that tells.
struct JobProgress {
  Progress progress;      // metrics are the first telling rank's
  Duration per_step{0};   // of late; 0: not known yet, or it stands still
  Duration remaining{0};  // at that speed; 0: not known
  bool operator==(const JobProgress&) const = default;
};

struct JobView {
  JobId id;
  std::string name;
  std::string state;  // queued placing running stopping backoff succeeded failed cancelled
  bool done = false;
  std::string sentence;   // the last decision, who-what-why
  std::string waits_for;  // while queued
  std::string held_by;    // "nils's command": queued, and not to start before it is released; empty: nobody
  int32_t priority = 0;
  uint32_t queue_place = 0;  // from 1; 0: it does not wait
  std::string framework;
  std::string backend;
  std::string workdir;
  std::string origin;
  std::string code_commit;
  std::string spec_json;
  std::map<std::string, std::string> labels;
  Attempt attempt = 0;
  uint32_t restarts = 0;
  uint32_t restart_limit = 0;
  uint32_t nodes = 0;
  TimePoint submitted;
  TimePoint started;                  // first attempt placed; zero: not yet
  TimePoint ended;                    // zero: not yet
  int exit_code = 0;                  // what `run` and `wait` exit with, once done
  int propagated_code = 0;            // of the first failing rank (128 + signal), for --propagate
  std::vector<RankView> ranks;        // of the newest attempt
  std::vector<AttemptView> attempts;  // oldest first
  std::vector<std::string>
      troubles;  // what was lost on the way, in sentences: output that a full disk did not take; the newest few
  std::optional<JobProgress> progress;    // of the newest attempt
  std::string hang;                       // what keeps ranks from going on, a sentence a line; empty: nothing
  std::string hang_stack;                 // of those ranks, in lines
  std::vector<std::string> asking_hosts;  // they are not reached before a person answers what they ask
  bool operator==(const JobView&) const = default;
};

// One line of a job's journal as viewers see it.
struct JobEvent {
  uint64_t sequence =
      0;  // from 1, rising; of a job with thousands some in the middle are forgotten. 0: only this viewer is told
  TimePoint time;
  std::string kind;   // "submitted", "attempt", "rank-failed", …
  std::string state;  // the job's, afterwards
  Attempt attempt = 0;
  std::string sentence;  // empty: nothing to tell a person
  bool operator==(const JobEvent&) const = default;
};

struct OutputPosition {
  Attempt attempt = 0;
  uint32_t index = 0;  // rank
  OutputStream stream = OutputStream::out;
  uint64_t offset = 0;
  bool operator==(const OutputPosition&) const = default;
};

struct OutputChunk {
  OutputPosition position;  // of the first byte
  std::string bytes;
  bool operator==(const OutputChunk&) const = default;
};

// Bytes that are to be shown now, and where they lie: the viewer reads them itself. What a tail or a time made the start
// of a stream is told with a length of 0.
struct OutputSpan {
  OutputPosition position;  // of the first byte
  uint64_t length = 0;
  std::string path;
  bool operator==(const OutputSpan&) const = default;
};

struct FollowRequest {
  std::string job;  // name, id, unique prefix of either, or @last
  bool events = false;
  uint64_t from_event = 1;
  bool output = false;
  bool follow = true;              // false: what there is, then the end
  std::optional<Attempt> attempt;  // only this one; default: all from first_attempt on
  Attempt first_attempt = 1;
  std::vector<uint32_t> ranks;  // indices; empty: all
  std::optional<uint64_t> tail_lines;
  std::optional<TimePoint> since;
  std::vector<OutputPosition> resume;  // go on from here instead
  bool in_place = false;               // spans, not chunks: the viewer may read the files
};

// A JobView comes after every change while `events` is set.
struct FollowItem {
  std::variant<JobEvent, OutputChunk, JobView, OutputSpan> item;
};

// A queued job is to stand elsewhere.
struct ArrangeRequest {
  enum class Act { hold, release, first, last, before, after, stay };
  std::string job;
  Act act = Act::stay;
  std::string other;                // of before and after
  std::optional<int32_t> priority;  // -100 to 100, from now on
  std::string by;                   // the user, for sentences
  bool operator==(const ArrangeRequest&) const = default;
};

struct ControllerInfo {
  std::string version;
  std::string binary_hash;
  int64_t pid = 0;
  TimePoint started;
  std::string state_folder;
  uint32_t live_jobs = 0;
  std::vector<IdleAgent> idle_agents;
  std::map<std::string, uint64_t>
      means;  // what ranks can have at most: hard limits by name, and `priority`, 20 - niceness
};

// Which ended jobs are to be forgotten: those that ended so long ago, and of the rest the oldest until what is left
// takes no more than `bytes`. Neither: none.
struct PruneRequest {
  std::optional<Duration> older;
  std::optional<uint64_t> bytes;
  bool look_only = false;  // nothing is removed
  bool operator==(const PruneRequest&) const = default;
};

struct Pruned {
  std::vector<std::string> names;  // the oldest first
  uint64_t bytes = 0;              // that they took on disk
  uint64_t left_bytes = 0;         // that the ended jobs take which are left
  bool operator==(const Pruned&) const = default;
};

struct TtyBytes {
  std::string job;
  uint32_t index = 0;
  std::string bytes;
  uint16_t rows = 0;
  uint16_t columns = 0;
};

}  // namespace muster
