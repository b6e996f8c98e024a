// JobJournal: the journal of one live job. Lines reach the store in their order; what cannot be written (a full disk)
// waits in memory and goes first as soon as it can: a journal with a gap would tell of another job.
//
// What waits is bounded by what a job can still do without a new attempt (the coordinator begins none meanwhile). Loop
// thread only.
#pragma once

#include <deque>
#include <string>

#include "core/journal/journal_codec.h"
#include "core/port/job_store.h"

namespace muster {

class JobJournal {
 public:
  JobJournal(JournalStore& store, JobId job) : store_(store), job_(std::move(job)) {}

  // `sync`: on the disk when this is ok. An error: the line waits.
  Status write(TimePoint at, const JournalEntry& entry, bool sync);

  // Goes before all that waits.
  void precede(TimePoint at, const JournalEntry& entry) { waiting_.push_front(encode_line({at, entry})); }

  // Tries again what waits; durable when this is ok.
  Status catch_up() { return waiting_.empty() ? Status() : flush(true); }
  bool behind() const { return !waiting_.empty(); }

  // What was written so far must be on the disk before somebody acts on it: settle() then waits for that, and costs nothing where a
  // line written since has waited.
  void owe() { owes_ = true; }
  Status settle();

 private:
  Status flush(bool sync);

  JournalStore& store_;
  const JobId job_;
  std::deque<std::string> waiting_;
  bool owes_ = true;  // its first line; and who was killed may have written more than the disk has
};

}  // namespace muster
