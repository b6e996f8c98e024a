#include "core/model/plan_hosts.h"

namespace muster {

// Stands in until hosts are planned: one group, as many ranks on each host as it asks for.
Result<Plan> plan_on_hosts(const JobSpec& spec, const std::vector<JobHost>& hosts) {
  if (hosts.empty()) return Status(Code::invalid_argument, "a job over ssh needs hosts");
  JobSpec one = spec;
  one.groups.resize(1);
  one.groups[0].min_nodes = one.groups[0].max_nodes = 1;
  const Result<Plan> plan = plan_on_one_machine(one, hosts.front().machine);
  if (!plan.ok()) return plan;
  std::vector<HostShare> shares;
  for (const JobHost& host : hosts) shares.push_back({host.name, static_cast<uint32_t>(plan->ranks.size())});
  return plan_of_hosts(shares, *plan);
}

}  // namespace muster
