// SPDX-License-Identifier: Apache-2.0
// Resource requests and limits of pods, including the defaults of the namespace's LimitRanges. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_value.h"

namespace muster {

using Amounts = std::map<std::string, double>;  // by resource: cpu, memory, nvidia.com/gpu

struct ContainerNeeds {
  std::string name;
  Amounts requests;
  Amounts limits;
  std::vector<std::string> defaulted;  // resources whose limit is the namespace's default
  bool initial = false;
};

struct PodNeeds {
  std::vector<ContainerNeeds> containers;  // including init containers
  // The pod's total: the sum of its containers, or its largest init container if that is more.
  Amounts requests;
  Amounts limits;
};

// `ranges`: the LimitRanges of the namespace.
PodNeeds needs_of(const ClusterValue& pod, const std::vector<ClusterValue>& ranges);

// "2 cpu, 16 GiB memory, 8 nvidia.com/gpu".
std::string amounts_text(const Amounts& amounts);
std::string amount_text(const std::string& resource, double amount);

}  // namespace muster
