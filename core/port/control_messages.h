// SPDX-License-Identifier: Apache-2.0
// The messages between a command, UI or SDK and a controller, as values; control.proto carries them.
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
#include "core/job/caller_streams.h"
#include "core/job/exit_status.h"
#include "core/job/process_settings.h"
#include "core/job/rank_phase.h"
#include "core/port/idle_agent.h"
#include "core/port/output_files.h"
#include "core/rank/finding.h"
#include "core/rank/progress.h"
#include "core/rank/rank_use.h"

namespace muster {

struct SubmitRequest {
  std::string submit_key;  // random per submit: a repeated key returns the existing job
  std::string spec_json;   // spec_to_json() of core/job/file/job_yaml.h, workdir absolute, name set
  std::string origin;      // the job file, for people; empty: the command line
  std::string manifest;    // the object of Kubernetes that the job was read from, as JSON; empty: it was read from none
  // The commit of workdir at submit, with "+dirty" appended if files differ. Empty: no repository, or not known yet (note_code).
  std::string code_commit;
  std::map<std::string, std::string> environment;  // of the submitting shell (local backend)
  std::map<std::string, std::string> secrets;      // resolved values of `env: {X: {from: …}}`
  ProcessSettings settings;                        // of the submitting shell (local backend)
  std::string code_hash;                           // of the snapshot of workdir; empty: there is none
  std::string hosts_json;                          // the hosts it may use (core/job/plan/job_host.h); empty: none
  CallerStreams streams;                           // of the submitting command (local backend)
};

struct ListRequest {
  bool all = false;      // also jobs that ended long ago
  bool measure = false;  // measure what ranks use, for the next seconds
};

// `job`: name, id, or a prefix of either. A text converts to a request without `examine`.
struct DescribeRequest {
  DescribeRequest(std::string its_job, bool its_examine = false) : job(std::move(its_job)), examine(its_examine) {}
  DescribeRequest(const char* its_job) : job(its_job) {}

  std::string job;
  bool examine = false;  // examine the locations of its ranks, for the next seconds
};

struct RankView {
  uint32_t index = 0;  // into the plan
  std::string group;
  Rank rank = 0;     // in its group
  std::string name;  // "rank 3", "trainer 0"
  NodeIndex node = 0;
  std::string host;
  RankPhase phase = RankPhase::waiting;
  Rare<ExitStatus> exit;
  int64_t pid = 0;
  std::vector<std::string> gpus;
  std::vector<uint32_t> cpus;
  TimePoint started;
  TimePoint ended;
  std::optional<Progress> progress;  // the last that it reported
  std::optional<RankFinding> finding;
  Rare<RankLocation> standing;  // the location, with a finding or while a viewer requests it (DescribeRequest)
  uint32_t pace = 0;            // permille of the median rank's; 0: not known
  std::optional<RankUse> use;   // while a viewer requests it (ListRequest)
  bool operator==(const RankView&) const = default;
};

// One attempt; if groups restart by themselves, the attempt of one group.
struct AttemptView {
  Attempt attempt = 0;
  std::string group;                // the group; empty: all groups
  TimePoint placed;                 // when placing its nodes began
  TimePoint preparing;              // when the delivery of its code began, or it waited only for setup; zero: neither
  TimePoint prepared;               // when that was done on all nodes; zero: not yet, or never
  TimePoint importing;              // when a warm parent began the imports of the ranks; zero: none had to
  TimePoint running;                // when all its ranks ran; zero: never
  TimePoint working;                // when the ranks had finished their imports; zero: not yet, or unknown
  TimePoint stopping;               // when its remaining ranks were told to stop, or had ended; zero: it continues
  TimePoint ended;                  // zero: not ended
  std::string cause;                // the sentence of its first failure; empty: none
  std::optional<uint32_t> culprit;  // the rank's index
  ExitStatus culprit_exit;
  std::vector<std::string> consequences;  // how other ranks ended because of it, one sentence each
  std::string stack;                      // of ranks that hung, lines; empty: none hung, or their stacks are unknown
  bool operator==(const AttemptView&) const = default;
};

// The progress of the attempt: that of its slowest rank that reports one.
struct JobProgress {
  Progress progress;      // metrics are those of the first rank that reports
  Duration per_step{0};   // recent time per step; 0: not known yet, or there is no progress
  Duration remaining{0};  // at that speed; 0: not known
  bool operator==(const JobProgress&) const = default;
};

struct JobView {
  JobId id;
  std::string name;
  std::string state;  // queued placing running stopping backoff succeeded failed cancelled; damaged: see damaged_job.h
  bool done = false;
  std::string sentence;   // the last decision and its reason
  std::string waits_for;  // while queued, during setup, and while output cannot be stored; empty: nothing
  std::string held_by;    // "nils with `muster hold`": the job is held until it is released; empty: it is not held
  int32_t priority = 0;
  uint32_t queue_place = 0;  // from 1; 0: it is not queued
  std::string framework;
  std::string backend;
  std::string workdir;
  std::string origin;
  std::string manifest;  // as SubmitRequest::manifest; empty in lists
  std::string code_commit;
  std::string spec_json;
  std::map<std::string, std::string> labels;
  Attempt attempt = 0;
  uint32_t restarts = 0;
  uint32_t restart_limit = 0;
  uint32_t nodes = 0;
  TimePoint submitted;
  TimePoint started;                    // first attempt placed; zero: not yet
  TimePoint ended;                      // zero: not yet
  int exit_code = 0;                    // what `run` and `wait` exit with, once done
  int propagated_code = 0;              // of the first failing rank (128 + signal), for --propagate
  std::vector<RankView> ranks;          // of the newest attempt
  std::vector<AttemptView> attempts;    // oldest first
  std::vector<std::string> troubles;    // sentences about what was lost, such as output on a full disk; the newest few
  std::optional<JobProgress> progress;  // of the newest attempt
  std::string hang;        // findings about stopped agents and of the watchdog, one sentence a line; empty: none
  std::string hang_stack;  // stacks of those ranks, lines
  std::vector<std::string> asking_hosts;  // hosts that need input of a person first, such as a password
  bool operator==(const JobView&) const = default;
};

// One event of a job, for viewers.
struct JobEvent {
  // Increases from 1. A job with thousands of events forgets some in the middle. 0: this event is for this viewer only.
  uint64_t sequence = 0;
  TimePoint time;
  std::string kind;   // "submitted", "attempt", "rank-failed", …
  std::string state;  // of the job after the event
  Attempt attempt = 0;
  std::string sentence;  // empty: nothing to print
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
  TimePoint time;  // when the agent saw them, if FollowRequest::times asks for it; zero: not known
  bool operator==(const OutputChunk&) const = default;
};

// The place of bytes to show: the viewer reads them from the file itself. A length of 0 only says where a stream starts, after a
// tail or a time was requested.
struct OutputSpan {
  OutputPosition position;  // of the first byte
  uint64_t length = 0;
  std::string path;
  TimePoint time;  // as in OutputChunk
  bool operator==(const OutputSpan&) const = default;
};

struct FollowRequest {
  std::string job;  // name, id, unique prefix of either, or @last
  bool events = false;
  uint64_t from_event = 1;
  bool output = false;
  bool follow = true;              // false: end after what exists now
  std::optional<Attempt> attempt;  // only this attempt; default: all from first_attempt on
  Attempt first_attempt = 1;
  std::vector<uint32_t> ranks;  // indices; empty: all
  std::optional<uint64_t> tail_lines;
  std::optional<TimePoint> since;
  std::vector<OutputPosition> resume;  // continue from here instead
  bool in_place = false;               // spans, not chunks: the viewer may read the files
  bool times = false;                  // each piece of output says when its bytes were written
};

// If `events` is set, a JobView follows every change.
struct FollowItem {
  std::variant<JobEvent, OutputChunk, JobView, OutputSpan> item;
};

// Moves, holds or releases a queued job, or changes its priority.
struct ArrangeRequest {
  enum class Act { hold, release, first, last, before, after, stay };
  std::string job;
  Act act = Act::stay;
  std::string other;                // for `before` and `after`
  std::optional<int32_t> priority;  // the new one, -100 to 100
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
  // The maxima for ranks: hard limits by name, and `priority`, which is 20 - niceness.
  std::map<std::string, uint64_t> means;
};

// Which ended jobs to remove: those that ended longer than `older` ago, and of the rest the oldest, until the remaining ones
// take at most `bytes`. Neither is set: none.
struct PruneRequest {
  std::optional<Duration> older;
  std::optional<uint64_t> bytes;
  bool look_only = false;  // nothing is removed
  bool operator==(const PruneRequest&) const = default;
};

struct Pruned {
  std::vector<std::string> names;  // the oldest first
  uint64_t bytes = 0;              // on disk, of the removed jobs
  uint64_t left_bytes = 0;         // on disk, of the remaining ended jobs
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
