// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/stopped_agents.h"

#include <utility>

namespace muster {

void StoppedAgents::note(const std::string& tag, std::optional<int64_t> pid) {
  if (pid) {
    stopped_[tag].pid = *pid;
    return;
  }
  woken(tag);
  stopped_.erase(tag);
}

std::optional<int64_t> StoppedAgents::find(const std::string& tag) const {
  const auto found = stopped_.find(tag);
  return found == stopped_.end() ? std::nullopt : std::optional(found->second.pid);
}

void StoppedAgents::wake(const std::string& tag, const std::string& host,
                         const std::map<std::string, std::string>& environment) {
  const auto found = stopped_.find(tag);
  if (found == stopped_.end() || found->second.waking) return;
  found->second.waking = links_.open(
      {host, environment, {"relay", "--wake", tag}, tag},
      {[] {}, [this, tag](const HostLinkEnd&) { woken(tag); }, [this, tag](const HostTrouble&) { woken(tag); }});
}

void StoppedAgents::woken(const std::string& tag) {
  const auto found = stopped_.find(tag);
  if (found != stopped_.end()) spent_.take(std::move(found->second.waking));
}

}  // namespace muster
