// SPDX-License-Identifier: Apache-2.0
#include "core/journal/job_journal.h"

namespace muster {

Status JobJournal::write(TimePoint at, const JournalEntry& entry, bool sync) {
  waiting_.push_back(encode_line({at, entry}));
  return flush(sync);
}

Status JobJournal::append(const std::string& line, bool sync) {
  return ends_ ? store_.append_last(job_, line, sync) : store_.append(job_, line, sync);
}

Status JobJournal::flush(bool sync) {
  while (!waiting_.empty()) {
    const bool last = waiting_.size() == 1;
    const Status status = append(waiting_.front(), sync && last);
    if (!status.ok()) return status;
    owes_ = owes_ && !(sync && last);
    waiting_.pop_front();
  }
  return Status();
}

Status JobJournal::settle() {
  if (!owes_) return Status();
  const Status status = behind() ? catch_up() : store_.sync(job_);
  owes_ = !status.ok();
  return status;
}

}  // namespace muster
