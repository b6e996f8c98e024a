// SPDX-License-Identifier: Apache-2.0
// The cluster's events about the pods of a job: why some were not created, and why others wait for a volume. Pure. Accepts any text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/cluster/cluster_facts.h"

namespace muster {

// The newest event that says why pods of this job were not created, in the cluster's words; empty: none.
std::string read_refusal(std::string_view json, const std::string& job);

// Arguments of kubectl that get the events of the namespace that can say more about these pods; empty: no events can. `lacks_pods`: some
// pods do not exist, and read_refusal() may know why.
std::vector<std::string> words_for_events(const std::vector<PodFacts>& pods, bool lacks_pods);

// Sets `waits` of the pods that wait for a volume or for their sandbox, if the events name the reason.
void add_events(std::vector<PodFacts>& pods, std::string_view json);

}  // namespace muster
