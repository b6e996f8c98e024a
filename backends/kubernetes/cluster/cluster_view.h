// A job in a cluster as the cluster alone tells it: for lists, for jobs whose coordinator is not there yet, has ended or may not be
// asked. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "core/port/control_messages.h"

namespace muster {

// The coordinator's newest pod; null: there is none. Points into `pods`.
const PodFacts* coordinator_of(const std::vector<PodFacts>& pods);

// Whether it can be asked.
bool can_be_asked(const std::vector<PodFacts>& pods);

// Nobody runs any more, or will.
bool has_ended(const JobSetFacts& job, const std::vector<PodFacts>& pods);

// What the first of these pods waits for, and how many more do; empty: none waits.
std::string awaited(const std::vector<PodFacts>& pods);

// Some of the job's pods are not there: the cluster may say why (read_refusal).
bool lacks_pods(const JobView& job, const std::vector<PodFacts>& pods);

// What a job waits for, where that is its pods: of those that are there, else what the cluster says of those that are not.
void tell_wait(JobView& job, const std::vector<PodFacts>& pods, const std::string& refusal);

// Whether pods of its ranks have yet to run, as far as its JobSet tells.
bool pods_may_wait(const JobSetFacts& job);

// Whether what a coordinator tells of its job leaves open why ranks do not run: their pods are the cluster's business.
bool waits_for_pods(const JobView& told);

// `pods`: of this job, as far as they were asked for; where pods_may_wait(), those of ranks that do not run are among them. Its ranks are those of its spec, in the states that counts of pods tell; their
// attempts only the coordinator knows.
JobView cluster_view(const JobSetFacts& job, const std::vector<PodFacts>& pods);

// The same without ranks: its start has yet to be told.
JobView waiting_view(const JobSetFacts& job, const std::vector<PodFacts>& pods);

// What names a job of the cluster as an id does: made from the JobSet's uid.
JobId id_of(const JobSetFacts& job);

}  // namespace muster
