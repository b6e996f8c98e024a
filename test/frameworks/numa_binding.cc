// SPDX-License-Identifier: Apache-2.0
// numa_binding MODE GPU NODE…: prints the CPUs to which a rank with GPU number GPU is bound. NODE…: the NUMA nodes of the
// GPUs. stdin has a line for each usable CPU: its number, node, package, core, cache (core/job/plan/plan.h, CpuPlace).
// For test/frameworks/torchrun.
#include "core/job/plan/numa_binding.h"

#include <cstdlib>
#include <iostream>
#include <string>

int main(int count, char** words) {
  using namespace muster;
  if (count < 4) return 2;
  NumaBinding how = NumaBinding::none;
  for (const NumaBinding each :
       {NumaBinding::node, NumaBinding::socket, NumaBinding::exclusive, NumaBinding::core_complex}) {
    if (to_string(each) == words[1]) how = each;
  }
  std::vector<int> nodes;
  for (int i = 3; i < count; ++i) nodes.push_back(std::atoi(words[i]));
  std::vector<CpuPlace> places;
  CpuPlace place;
  while (std::cin >> place.cpu >> place.numa_node >> place.package >> place.core >> place.cache)
    places.push_back(place);
  const auto cpus = cpus_beside(how, places, nodes, static_cast<size_t>(std::atoi(words[2])));
  if (!cpus.ok()) {
    std::cerr << cpus.status().message() << '\n';
    return 1;
  }
  for (const uint32_t cpu : *cpus) std::cout << cpu << ' ';
}
