// What pods ask for, once the namespace's LimitRanges have put their defaults in. Pure.
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
  std::vector<std::string> defaulted;  // limits that nobody but the namespace wrote
  bool initial = false;
};

struct PodNeeds {
  std::vector<ContainerNeeds> containers;  // initial ones too
  // Of the pod: its containers together, or the largest initial one.
  Amounts requests;
  Amounts limits;
};

// `ranges`: the LimitRanges of the namespace.
PodNeeds needs_of(const ClusterValue& pod, const std::vector<ClusterValue>& ranges);

// "2 cpu, 16 GiB memory, 8 nvidia.com/gpu".
std::string amounts_text(const Amounts& amounts);
std::string amount_text(const std::string& resource, double amount);

}  // namespace muster
