// Gangs: the workers that begin anew together. A job is one; with `restarts.mode: group` and several groups each group is one,
// numbered as the groups, and a whole job state of its own (State::gangs) that takes the events of its nodes and ranks.
//
// What they share is the job's: one count of attempts and restarts, the queue, timeouts.run, the end. The job's own State is the
// sum: its phase is that of the gang that is farthest, its attempt the newest, nodes and ranks are those of all. A gang
// knows its nodes and ranks by numbers from 0 (Rules::first_node, first_rank).
#pragma once

#include "core/machine/job/state.h"

namespace muster::job {

uint32_t gang_count(const State& job);
// Whose node it is; 0 for one that the job does not have.
uint32_t gang_of(const State& job, NodeIndex node);
// By itself where it is the only one. `index` is below gang_count().
const State& gang_at(const State& job, uint32_t index);
// The newest attempt that the node takes part in.
Attempt attempt_on(const State& job, NodeIndex node);
// How many have ended; what they came to is final.
uint32_t gangs_done(const State& job);

}  // namespace muster::job
