// SPDX-License-Identifier: Apache-2.0
// StoppedAgents: which agents on hosts are stopped by a signal such as SIGSTOP, as their relays say, and the ssh calls that continue them.
// Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/ssh/spent_links.h"
#include "core/port/host_link.h"
#include "core/port/loop.h"

namespace muster {

class StoppedAgents {
 public:
  StoppedAgents(Loop& loop, HostLinks& links) : links_(links), spent_(loop) {}

  // `tag`: of the agent. `pid`: nullopt if it is not stopped, or if nobody knows because its link has ended.
  void note(const std::string& tag, std::optional<int64_t> pid);
  std::optional<int64_t> find(const std::string& tag) const;

  // Continues the agent over its own ssh session, if it is stopped and no such session is under way. A failure is ignored. `host` and
  // `environment` as in HostCall.
  void wake(const std::string& tag, const std::string& host, const std::map<std::string, std::string>& environment);

 private:
  struct Stopped {
    int64_t pid = 0;
    std::unique_ptr<HostLink> waking;
  };

  void woken(const std::string& tag);

  HostLinks& links_;
  SpentLinks spent_;
  std::map<std::string, Stopped> stopped_;  // by tag
};

}  // namespace muster
