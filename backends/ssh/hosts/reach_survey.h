// SPDX-License-Identifier: Apache-2.0
// ReachSurvey: tests whether hosts reach each other's data ports (reach_here.h), with one ssh session per host. Up to 32 hosts it tests
// every pair; with more, each host tests only the next one. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/ssh/session/host_session.h"

namespace muster {

struct ReachHost {
  std::string name;
  std::string address;  // the address that the others connect to
};

// A connection that failed. `to` is empty if `from` could not run the test at all or cannot listen.
struct Blocked {
  std::string from;
  std::string to;
  std::string why;
  bool operator==(const Blocked&) const = default;
};

class ReachSurvey {
 public:
  // `over` runs once, in a later turn; blocked() is complete then. `patience`: the limit for each host's answer.
  ReachSurvey(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::vector<ReachHost> hosts,
              std::function<void()> over, Duration patience = std::chrono::seconds(30));
  ~ReachSurvey();

  const std::vector<Blocked>& blocked() const { return blocked_; }

 private:
  struct Visit;

  void start_visits();
  void listens(size_t index);
  void failed(size_t index, const std::string& why);
  void settled();
  void report_over();
  std::vector<size_t> peers_of(size_t index) const;

  FdLoop& loop_;
  const std::shared_ptr<const HostAccess> access_;
  const std::vector<ReachHost> hosts_;
  std::function<void()> over_;
  const Duration patience_;
  std::vector<std::unique_ptr<Visit>> visits_;
  std::vector<Blocked> blocked_;
  size_t next_ = 0;
  size_t arriving_ = 0;  // visits whose ssh login is not complete
  size_t ready_ = 0;     // hosts that listen or have failed
  size_t finished_ = 0;
  TimerId shutdown_timer_ = 0;
  bool reported_ = false;
};

}  // namespace muster
