// SPDX-License-Identifier: Apache-2.0
// JobLedger: the state of a live job, and its journal. An event that changes the job is written to the journal first and then
// applied. Loop thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/journal/job_fold.h"
#include "core/journal/job_journal.h"
#include "core/port/agent_placement.h"
#include "core/port/job_store.h"
#include "core/port/loop.h"

namespace muster {

class JobLedger {
 public:
  JobLedger(Loop& loop, JournalStore& store, Log& log, JobFold fold);

  const JobFold& fold() const { return fold_; }
  const Submission& submission() const { return fold_.submission(); }
  const job::State& state() const { return fold_.state(); }
  bool done() const { return state().phase == job::Phase::done; }
  NodeRef ref_of(NodeIndex node) const { return {submission().id, node}; }

  // Gangs: see core/machine/job/gangs.h.
  uint32_t gang_of(NodeIndex node) const { return job::gang_of(state(), node); }
  const job::State& gang(uint32_t number) const { return job::gang_at(state(), number); }
  const job::State& state_of(NodeIndex node) const { return gang(gang_of(node)); }
  Attempt attempt_on(NodeIndex node) const { return job::attempt_on(state(), node); }
  // True: the rendezvous of the gang is in its agent.
  bool on_one_node(uint32_t number) const { return gang(number).rules.nodes.size() == 1; }

  // The job's time: the loop's time, but never before the last entry of the journal.
  TimePoint now() const { return loop_.now() + ahead_; }
  // Converts a time of the job to a time of the loop.
  TimePoint on_loop(TimePoint at) const { return at - ahead_; }

  // Passes the event to the job machine and returns its actions. Empty: the event changes nothing.
  std::optional<std::vector<job::Action>> take(const job::Event& event);
  // Adds an entry that is no event of the job machine. `sync`: it is durable when this returns, unless the disk fails.
  void note(const JournalEntry& entry, bool sync = false);

  // `written` is called with each entry when its line was written, or waits in memory (behind()). Set it once.
  void on_entry(std::function<void(TimePoint at, const JournalEntry& entry)> written) { written_ = std::move(written); }
  // As in JobJournal.
  Status settle() { return journal_.settle(); }
  Status catch_up();
  bool behind() const { return journal_.behind(); }

  // Whether viewers may be told that the job has ended. Not while its end is only in memory: a later controller would not know of it
  // and might run the job again. After kEndPatience they are told nevertheless, and a remark says what that means.
  static constexpr Duration kEndPatience = std::chrono::minutes(1);
  bool may_tell_end() const { return done() && (!behind() || end_unkept_); }
  // Why viewers are not told of the end yet. Empty: the job has not ended, or may_tell_end().
  std::string end_waits_for() const;

 private:
  void write(TimePoint at, const JournalEntry& entry, bool sync);
  void note_unkept_end();

  Loop& loop_;
  Log& log_;
  JobFold fold_;
  const Duration ahead_;  // added to the loop's time; above 0 if the clock was set back before the takeover
  JobJournal journal_;
  std::string refusal_;  // why the journal could not be written the last time
  TimePoint ended_;      // loop's time; set once the job is done
  bool end_unkept_ = false;
  std::function<void(TimePoint at, const JournalEntry& entry)> written_;
};

}  // namespace muster
