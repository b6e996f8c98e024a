// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/machine_share.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace muster {
namespace {

std::string name_of(const GpuUser& user) {
  const std::string pid = "pid " + std::to_string(user.pid) + ",";
  return user.program.empty() ? "a process that muster cannot identify, " + pid
                              : user.user + "'s " + escaped(user.program) + ", " + pid;
}

}  // namespace

std::string name_of(const MachineShare& share) {
  return share.user + "'s job " + share.name + ", pid " + std::to_string(share.pid) + ",";
}

std::vector<Holder> holders_of(const std::vector<MachineShare>& told) {
  std::vector<Holder> holders;
  for (const MachineShare& share : told) holders.push_back({name_of(share), share.claim, false, share.job});
  return holders;
}

std::vector<Holder> strangers_on(const std::vector<GpuUser>& users, const std::vector<MachineShare>& told) {
  std::map<std::pair<int64_t, std::string>, Holder> holders;
  for (const GpuUser& user : users) {
    const bool explained = std::any_of(told.begin(), told.end(),
                                       [&](const MachineShare& share) { return share.claim.gpus.count(user.gpu) > 0; });
    if (explained) continue;
    Holder& holder = holders[{user.pid, user.program}];
    holder.who = name_of(user);
    holder.claim.gpus.insert(user.gpu);
    holder.foreign = true;
  }
  std::vector<Holder> list;
  for (auto& [who, holder] : holders) list.push_back(std::move(holder));
  return list;
}

}  // namespace muster
