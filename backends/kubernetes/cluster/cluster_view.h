// SPDX-License-Identifier: Apache-2.0
// Views of a job made from the cluster's objects alone: for lists, and for jobs whose coordinator does not run yet, has ended or may not
// be asked. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "core/port/control_messages.h"

namespace muster {

// The exit code of a cancelled job (docs/reference/exit-codes.md).
inline constexpr int kCancelledCode = 130;

// The coordinator's newest pod, or null. Points into `pods`.
const PodFacts* coordinator_of(const std::vector<PodFacts>& pods);

// True if the coordinator runs.
bool can_be_asked(const std::vector<PodFacts>& pods);

// True if the job has ended: no coordinator runs or will run.
bool has_ended(const JobSetFacts& job, const std::vector<PodFacts>& pods);

// The reason why a pod waits, and the number of other waiting pods; empty: no pod waits. A pod whose containers are only being created
// is named if no other waits.
std::string awaited(const std::vector<PodFacts>& pods);

// True if some of the job's pods do not exist. The cluster's events may say why (cluster_events.h).
bool lacks_pods(const JobView& job, const std::vector<PodFacts>& pods);

// Sets waits_for if the job waits for its pods: the reason of an existing pod, else that for pods that were not created. `events`: the
// events that words_for_events() asks for, as JSON; empty: they are unknown.
void tell_wait(JobView& job, std::vector<PodFacts> pods, std::string_view events);

// True if, according to the JobSet, pods of ranks do not run yet.
bool pods_may_wait(const JobSetFacts& job);

// True if the coordinator's view does not say why ranks do not run; only the cluster knows what their pods wait for.
bool waits_for_pods(const JobView& told);

// `pods`: the known pods of this job. If pods_may_wait(), they must include the pending pods of ranks. The ranks come from the spec; their
// states follow from the pod counts. Attempts are unknown: only the coordinator has them.
JobView cluster_view(const JobSetFacts& job, const std::vector<PodFacts>& pods);

// The same view without ranks, for a job that has not started.
JobView waiting_view(const JobSetFacts& job, const std::vector<PodFacts>& pods);

// A job id that is derived from the JobSet's uid.
JobId id_of(const JobSetFacts& job);

}  // namespace muster
