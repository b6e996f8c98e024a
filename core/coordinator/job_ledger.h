// JobLedger: a live job as its journal tells it. What changes the job is written down first, and taken then. Loop thread only.
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

  // Of gangs (core/machine/job/gangs.h); a node's.
  uint32_t gang_of(NodeIndex node) const { return job::gang_of(state(), node); }
  const job::State& gang(uint32_t number) const { return job::gang_at(state(), number); }
  const job::State& state_of(NodeIndex node) const { return gang(gang_of(node)); }
  Attempt attempt_on(NodeIndex node) const { return job::attempt_on(state(), node); }
  // The rendezvous of such a gang is its agent's.
  bool on_one_node(uint32_t number) const { return gang(number).rules.nodes.size() == 1; }

  // The job's time: the loop's, and never behind the journal.
  TimePoint now() const { return loop_.now() + ahead_; }
  // When a time of the job is, on the loop.
  TimePoint on_loop(TimePoint at) const { return at - ahead_; }

  // Feeds the job machine; the result is what it wants. Nothing: the event changes nothing.
  std::optional<std::vector<job::Action>> take(const job::Event& event);
  // No event of the machine. `sync`: on the disk before this returns, if it can be.
  void note(const JournalEntry& entry, bool sync = false);

  // Runs with each entry when its line was written, or waits in memory (behind()). Set once.
  void on_entry(std::function<void(TimePoint at, const JournalEntry& entry)> written) { written_ = std::move(written); }
  // As JobJournal's.
  Status settle() { return journal_.settle(); }
  Status catch_up() { return journal_.catch_up(); }
  bool behind() const { return journal_.behind(); }

 private:
  void write(TimePoint at, const JournalEntry& entry, bool sync);

  Loop& loop_;
  Log& log_;
  JobFold fold_;
  const Duration ahead_;  // of the loop's time; more than 0 when the clock was set back before we took over
  JobJournal journal_;
  std::function<void(TimePoint at, const JournalEntry& entry)> written_;
};

}  // namespace muster
