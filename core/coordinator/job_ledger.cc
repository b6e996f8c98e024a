#include "core/coordinator/job_ledger.h"

#include <algorithm>

namespace muster {
namespace {

// Must be on the disk before anybody hears of it: the end, which is final. A new attempt must before anybody is wished it
// (DESIGN.md §9.3, AgentOrders::desired state).
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

// A journal that cannot be written does not end what runs, and is remarked once; but no attempt begins (AgentOrders::desired state).
void JobLedger::write(TimePoint at, const JournalEntry& entry, bool sync) {
  const bool was_behind = journal_.behind();
  const Status status = journal_.write(at, entry, sync);
  if (written_) written_(at, entry);
  if (status.ok() || was_behind) return;
  log_.error("journal of " + submission().name + ": " + status.message());
  const Remark remark{"the job's journal cannot be written (" + status.message() +
                          "); what runs goes on, but is not restarted until there is room",
                      true};
  journal_.precede(at, remark);
  fold_.take(at, remark);
}

}  // namespace muster
