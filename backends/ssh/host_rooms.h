// SPDX-License-Identifier: Apache-2.0
// HostRooms: knows what others use on hosts, as the hosts report it: jobs of other users, jobs of this user's other controllers, and
// processes outside muster. A host is asked again when its last answer is more than 9 s old. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/ssh/spent_links.h"
#include "core/port/claims.h"
#include "core/port/host_link.h"
#include "core/port/loop.h"

namespace muster {

class HostRooms {
 public:
  HostRooms(Loop& loop, HostLinks& links) : loop_(loop), links_(links), spent_(loop) {}

  // Marks a job as one of this controller: what its agents hold on hosts is not reported as another's.
  void own(const JobId& job) { ours_.insert(job.text()); }

  // HostSharing::others_on(). For a host that does not answer, the last known holders count.
  std::optional<std::vector<Holder>> others_on(const JobOnNodes& waiting, TimePoint asked,
                                               const std::function<void()>& seen);

 private:
  struct Host {
    TimePoint answered_at;  // or failed
    std::optional<std::vector<Holder>> holders;
    std::unique_ptr<HostLink> link;  // while a question is open
    std::function<void()> seen;
  };

  void ask(const std::string& name, const std::map<std::string, std::string>& environment,
           const std::function<void()>& seen);
  void answered(const std::string& name, const Result<std::vector<Holder>>& holders);

  Loop& loop_;
  HostLinks& links_;
  SpentLinks spent_;
  std::map<std::string, Host> hosts_;  // by name
  std::set<std::string> ours_;
};

}  // namespace muster
