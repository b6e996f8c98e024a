// SPDX-License-Identifier: Apache-2.0
#include "test/testing/machine_watch.h"

#include <algorithm>

#include "core/journal/job_fold.h"
#include "test/testing/machine_names.h"

namespace muster::watch {
namespace {

// Global, because the wrapped functions have no other access to the watch. One simulated world runs at a time.
MachineWatch* watching = nullptr;
int replays = 0;

bool watched() { return watching != nullptr && replays == 0; }

JobStep numbers_of(const job::State& before, const job::Step& step) {
  JobStep numbers;
  numbers.seed = before.rules.seed;
  numbers.attempt_before = before.attempt;
  numbers.attempt_after = step.next.attempt;
  numbers.restarts_before = before.restarts;
  numbers.restarts_after = step.next.restarts;
  numbers.gangs = job::gang_count(step.next);
  for (const job::Action& action : step.actions) {
    numbers.begins += std::holds_alternative<job::BeginAttempt>(action);
    numbers.finishes |= std::holds_alternative<job::Finish>(action);
  }
  for (uint32_t n = 0; numbers.finishes && n < step.next.nodes.size(); ++n)
    if (step.next.nodes[n].unreachable && !step.next.nodes[n].quiet) numbers.left.push_back(n);
  return numbers;
}

}  // namespace

void set_watch(MachineWatch* watch) { watching = watch; }

// The linker redirects each step function to its wrapper; the real one is called from it (wrapped.txt).
#define WRAPPED(name) asm("__wrap_" name)
#define REAL(name) asm("__real_" name)
#define JOB_STEP                                                                                             \
  "_ZN6muster3job4stepENS0_5StateENSt6chrono10time_pointINS_8JobClockENS2_"                                  \
  "8durationIlSt5ratioILl1ELl1000000000EEEEEERKSt7variantIJNS0_8AdmittedENS0_6NodeUpENS0_11PlaceFailedENS0_" \
  "8NodeLostENS0_8LinkDownENS0_8ReportedENS0_10TimerFiredENS0_9StopAskedENS0_6JudgedEEE"
#define WORKER_STEP                                                                                                    \
  "_ZN6muster6worker4stepENS0_5StateENSt6chrono10time_pointINS_8JobClockENS2_"                                         \
  "8durationIlSt5ratioILl1ELl1000000000EEEEEERKSt7variantIJNS0_5StartENS0_7SpawnedENS0_11SpawnFailedENS0_6ExitedENS0_" \
  "4StopENS0_10TimerFiredEEE"
#define RENDEZVOUS_STEP                                                                                             \
  "_ZN6muster10rendezvous4stepENS0_5StateENSt6chrono10time_pointINS_8JobClockENS2_"                                 \
  "8durationIlSt5ratioILl1ELl1000000000EEEEEERKSt7variantIJNS0_5AskedENS0_5BegunENS0_5EndedENS0_11ChannelLostENS0_" \
  "10TimerFiredEEE"
#define REPLAY "_ZN6muster7JobFold6replayERKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS7_EE"

job::Step real_step(job::State, TimePoint, const job::Event&) REAL(JOB_STEP);
worker::Step real_step(worker::State, TimePoint, const worker::Event&) REAL(WORKER_STEP);
rendezvous::Step real_step(rendezvous::State, TimePoint, const rendezvous::Event&) REAL(RENDEZVOUS_STEP);
Result<JobFold> real_replay(const std::vector<std::string>&) REAL(REPLAY);

job::Step job_step(job::State, TimePoint, const job::Event&) WRAPPED(JOB_STEP);
job::Step job_step(job::State state, TimePoint now, const job::Event& event) {
  if (!watched()) return real_step(std::move(state), now, event);
  watching->stepped(pair_of(state, event));
  job::Step step = real_step(state, now, event);
  watching->job_stepped(numbers_of(state, step));
  const bool changed = !step.actions.empty() || !(step.next == state);
  if (changed && watching->listens())
    watching->told({"job", tell(event), tell(step.actions), step.sentence, state.rules.seed});
  return step;
}

worker::Step worker_step(worker::State, TimePoint, const worker::Event&) WRAPPED(WORKER_STEP);
worker::Step worker_step(worker::State state, TimePoint now, const worker::Event& event) {
  if (!watched()) return real_step(state, now, event);
  watching->stepped(pair_of(state, event));
  worker::Step step = real_step(state, now, event);
  if (watching->listens() && !step.actions.empty()) watching->told({"worker", tell(event), tell(step.actions), "", 0});
  return step;
}

rendezvous::Step rendezvous_step(rendezvous::State, TimePoint, const rendezvous::Event&) WRAPPED(RENDEZVOUS_STEP);
rendezvous::Step rendezvous_step(rendezvous::State state, TimePoint now, const rendezvous::Event& event) {
  if (watched()) watching->stepped(pair_of(state, event));
  return real_step(std::move(state), now, event);
}

Result<JobFold> replay(const std::vector<std::string>&) WRAPPED(REPLAY);
Result<JobFold> replay(const std::vector<std::string>& lines) {
  ++replays;
  Result<JobFold> fold = real_replay(lines);
  --replays;
  return fold;
}

}  // namespace muster::watch
