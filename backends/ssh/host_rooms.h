// HostRooms: who has what of hosts besides the jobs of our own controller, as the hosts themselves say: other users' jobs, other
// controllers of this user, processes outside muster. A host is asked again when its last answer is some seconds old. Loop thread only.
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

  // Of this job agents tell on hosts until they have left; it is no other's.
  void own(const JobId& job) { ours_.insert(job.text()); }

  // HostSharing::others_on(). A host that does not answer has whoever it had.
  std::optional<std::vector<Holder>> others_on(const JobOnNodes& waiting, TimePoint asked,
                                               const std::function<void()>& seen);

 private:
  struct Host {
    TimePoint looked;  // answered, or not
    std::optional<std::vector<Holder>> holders;
    std::unique_ptr<HostLink> link;  // while it is asked
    std::function<void()> seen;
  };

  void look(const std::string& name, const std::map<std::string, std::string>& environment,
            const std::function<void()>& seen);
  void heard(const std::string& name, const Result<std::vector<Holder>>& holders);

  Loop& loop_;
  HostLinks& links_;
  SpentLinks spent_;
  std::map<std::string, Host> hosts_;  // by name
  std::set<std::string> ours_;
};

}  // namespace muster
