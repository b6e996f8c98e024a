// ProcessSweep: ProcessHost::sweep() and end_marked(), as turns of the loop. Loop thread only.
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
  // `adopts`: this process is its descendants' subreaper. Without that a sweep kills only what is left in cgroups.
  ProcessSweep(FdLoop& loop, Log& log, ProcessTable& processes, bool adopts);
  ~ProcessSweep();
  ProcessSweep(const ProcessSweep&) = delete;
  ProcessSweep& operator=(const ProcessSweep&) = delete;

  void sweep(std::function<void(uint32_t killed)> done);
  void end_marked(const std::vector<std::string>& marks, std::function<void()> done);

  // A child has ended: a sweep under way continues at once.
  void child_ended() { round(); }

  // The cgroup of a process that has ended. It may hold what the process left, which the next sweep kills.
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
  std::optional<OrphanSweep> orphans_;  // a sweep is under way
  TimePoint started_;
  bool reported_ = false;
  TimerId timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
