// SPDX-License-Identifier: Apache-2.0
// JobJournal: writes the journal of one live job. Lines reach the store in order. Lines that cannot be written (full disk) wait in
// memory and are written first as soon as possible, because a journal with a gap would describe another job.
//
// The number of waiting lines is bounded, because the coordinator begins no attempt meanwhile. Loop thread only.
#pragma once

#include <deque>
#include <string>

#include "core/journal/journal_codec.h"
#include "core/port/job_store.h"

namespace muster {

class JobJournal {
 public:
  JobJournal(JournalStore& store, JobId job) : store_(store), job_(std::move(job)) {}

  // `sync`: the line is on the disk if this returns ok. After an error the line waits.
  Status write(TimePoint at, const JournalEntry& entry, bool sync);
  // The lines that wait, and all that follow, are the job's last: they may use the room that the store reserves for them.
  void end() { ends_ = true; }

  // Puts a line before all waiting lines.
  void precede(TimePoint at, const JournalEntry& entry) { waiting_.push_front(encode_line({at, entry})); }

  // Writes the waiting lines again; they are durable if this returns ok.
  Status catch_up() { return waiting_.empty() ? Status() : flush(true); }
  bool behind() const { return !waiting_.empty(); }

  // The lines so far must be on the disk before anyone acts on them: settle() waits for that. It costs nothing if a later line was
  // written with `sync`.
  void owe() { owes_ = true; }
  Status settle();

 private:
  Status append(const std::string& line, bool sync);
  Status flush(bool sync);

  JournalStore& store_;
  const JobId job_;
  std::deque<std::string> waiting_;
  bool ends_ = false;
  bool owes_ = true;  // the first line; after a kill, earlier lines may not be on the disk either
};

}  // namespace muster
