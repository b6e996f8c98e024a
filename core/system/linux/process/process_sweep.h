// SPDX-License-Identifier: Apache-2.0
// ProcessSweep: implements ProcessHost::sweep() and end_marked() as tasks of the loop. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/process/orphan_sweep.h"
#include "core/system/linux/process/process_table.h"

namespace muster {

class ProcessSweep {
 public:
  // `adopts`: this process is the subreaper of its descendants. If not, a sweep kills only the processes left in cgroups.
  ProcessSweep(FdLoop& loop, Log& log, ProcessTable& processes, bool adopts);
  ~ProcessSweep();
  ProcessSweep(const ProcessSweep&) = delete;
  ProcessSweep& operator=(const ProcessSweep&) = delete;

  // As ProcessHost::sweep. A sweep that begins during another one also ends what that one spares.
  void sweep(const std::set<int64_t>& spared, std::function<void(uint32_t killed)> done);
  void end_marked(const std::vector<std::string>& marks, std::function<void()> done);

  // Call when a child has ended: a sweep in progress continues at once.
  void child_ended() { round(); }

  // Adds the cgroup of an ended process. The next sweep kills the processes that are left in it.
  void add_ended(std::shared_ptr<Cgroup> cgroup) { ended_cgroups_.insert(std::move(cgroup)); }

 private:
  void end_marked_by(TimePoint end, const std::vector<std::string>& marks, const std::function<void()>& done);
  bool end_execs();
  void round();
  void round_later();
  void finish();

  FdLoop& loop_;
  Log& log_;
  ProcessTable& processes_;
  const bool adopts_;
  std::set<std::shared_ptr<Cgroup>> ended_cgroups_;
  std::vector<std::function<void(uint32_t)>> sweepers_;
  std::set<pid_t> spared_;              // by the sweep in progress
  std::optional<OrphanSweep> orphans_;  // set while a sweep is in progress
  TimePoint started_;
  bool reported_ = false;
  TimerId timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
