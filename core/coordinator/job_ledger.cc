// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/job_ledger.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

// Whether the change must be durable before it is visible: the end of a job or gang is final. A new attempt must be durable
// before any agent is told to run it (docs/design/journal.md, AgentOrders::add_tasks).
bool must_last(const job::State& before, const job::State& after) {
  return job::gangs_done(after) != job::gangs_done(before) || after.phase == job::Phase::done;
}

}  // namespace

JobLedger::JobLedger(Loop& loop, JournalStore& store, Log& log, JobFold fold)
    : loop_(loop),
      log_(log),
      fold_(std::move(fold)),
      ahead_(std::max(Duration(0), fold_.last_time() - loop.now())),
      journal_(store, fold_.submission().id) {}

std::optional<std::vector<job::Action>> JobLedger::take(const job::Event& event) {
  const TimePoint at = now();
  std::optional<job::Step> step = fold_.consider(at, event);
  if (!step) return std::nullopt;
  if (step->next.attempt != state().attempt) journal_.owe();
  if (step->next.phase == job::Phase::done) {
    journal_.end();
    if (!done()) ended_ = loop_.now();
  }
  write(at, event, must_last(state(), step->next));
  std::vector<job::Action> actions = step->actions;
  fold_.take(at, event, std::move(*step));
  return actions;
}

void JobLedger::note(const JournalEntry& entry, bool sync) {
  const TimePoint at = now();
  write(at, entry, sync);
  fold_.take_entry(at, entry);
}

// If the journal cannot be written, running ranks continue, and one problem is noted. But no attempt starts
// (AgentOrders::add_tasks).
void JobLedger::write(TimePoint at, const JournalEntry& entry, bool sync) {
  const bool was_behind = journal_.behind();
  const Status status = journal_.write(at, entry, sync);
  refusal_ = status.message();
  if (written_) written_(at, entry);
  if (status.ok() || was_behind) return;
  log_.error("cannot write the journal of " + submission().name + ": " + status.message());
  const Remark remark{"cannot write the job's journal (" + status.message() +
                          "); running ranks continue, but no attempt starts until the disk has free space",
                      true};
  journal_.precede(at, remark);
  fold_.take(at, remark);
}

Status JobLedger::catch_up() {
  const Status status = journal_.catch_up();
  refusal_ = status.message();
  if (done() && !end_unkept_ && behind() && loop_.now() - ended_ >= kEndPatience) note_unkept_end();
  return status;
}

void JobLedger::note_unkept_end() {
  end_unkept_ = true;
  note(Remark{"the end of the job could not be written for " + humane_duration(kEndPatience) + " (" + refusal_ +
                  "); if the controller ends before it can, the job is shown as unfinished and may run again",
              true});
}

std::string JobLedger::end_waits_for() const {
  return done() && !may_tell_end() ? "its end to be written to its journal: " + refusal_ : "";
}

}  // namespace muster
