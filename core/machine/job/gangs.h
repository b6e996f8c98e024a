// SPDX-License-Identifier: Apache-2.0
// Gangs: a gang is the set of ranks that restart together. Usually the job is one gang. With `restarts.mode: group` and
// several groups, each group is a gang with the index of its group. Each such gang has a job state of its own
// (State::gangs), which gets the events of its nodes and ranks.
//
// The gangs share the counts of attempts and restarts, the queue, timeouts.run and the end of the job. The job's own State
// combines them: the phase of the most advanced gang, the newest attempt, and the nodes and ranks of all gangs. Inside a
// gang, nodes and ranks are numbered from 0 (Rules::first_node, first_rank).
#pragma once

#include "core/machine/job/state.h"

namespace muster::job {

uint32_t gang_count(const State& job);
// The gang of a node; 0 if the job has no such node.
uint32_t gang_of(const State& job, NodeIndex node);
// The job itself if it is one gang. `index` must be below gang_count().
const State& gang_at(const State& job, uint32_t index);
// The newest attempt that the node takes part in.
Attempt attempt_on(const State& job, NodeIndex node);
// Number of gangs that have ended; their outcomes are final.
uint32_t gangs_done(const State& job);

}  // namespace muster::job
