// SPDX-License-Identifier: Apache-2.0
// WarmImports: keeps one warm parent ready, a process that has already imported the modules of the Python ranks, and forks
// ranks from it. The modules are learned: a rank notes what it imports, for the next attempt and the next job.
//
// Loop thread only. One parent at a time; it ends with this object. This object outlives the agents of a process, so that
// the next job can use the same parent.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/node/warm/warm_lessons.h"
#include "core/node/warm/warm_parent.h"
#include "core/node/warm/warm_plan.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// Folders for its files; created when they are needed.
struct WarmFolders {
  std::string mine;     // of this process; a short path (UNIX socket); removed by the destructor
  std::string lessons;  // the imports of programs, kept across jobs; empty: not kept
};

class WarmImports {
 public:
  // `wait_limit`: how long the ranks of an attempt wait until the parent answers. After that they are executed, and the parent
  // is used from the next attempt on.
  WarmImports(FdLoop& loop, ProcessHost& host, Log& log, WarmFolders folders,
              Duration wait_limit = std::chrono::seconds(2));
  ~WarmImports();
  WarmImports(const WarmImports&) = delete;
  WarmImports& operator=(const WarmImports&) = delete;

  // Prepares a parent for these ranks. `ready` runs once, within the call or in a later turn. `reason` is empty, or says
  // why ranks are executed instead of forked. A newer call cancels `ready`.
  void prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task,
               std::function<void(const std::string& reason)> ready);

  // The program that the parent is ready for, for messages: "train.py"; empty: none.
  std::string warm() const;

  // Whether this rank can be forked now and would be the same as when executed.
  bool fits(const SpawnRequest& request) const;
  // Forks a rank for which fits() is true. After a failure the parent is dropped.
  Result<ForkedRank> fork(const SpawnRequest& request);

 private:
  using Fields = std::vector<std::string>;

  void finish(const std::string& reason);
  void release_ranks(const std::string& reason);
  void give_up(const std::string& why);
  void drop_parent();
  void start_import_timer();
  bool is_worthwhile();
  void begin();
  void scan();
  void start_parent(const std::vector<std::string>& modules);
  void preload(const std::vector<std::string>& modules);
  void preloaded(const Fields& answer);
  void start_without(const std::string& why, const std::vector<std::string>& culprits);
  void refresh();
  void start_wait_timer();
  std::vector<std::string> new_imports();
  void check_new_imports();

  FdLoop& loop_;
  ProcessHost& host_;
  Log& log_;
  const WarmFolders folders_;
  const Duration wait_limit_;

  UniqueFd in_use_;  // locks folders_.mine, so that no other process removes it
  std::optional<WarmPlan> plan_;
  WarmTask task_;
  std::unique_ptr<WarmParent> parent_;
  bool ready_ = false;                  // parent_ has imported all requested modules
  bool importing_ = false;              // parent_ is importing modules
  bool checking_ = false;               // parent_ has been asked for changes, for the ranks that wait
  std::set<std::string> imported_;      // modules requested from parent_
  std::optional<WarmLessons> lessons_;  // of plan_
  int parents_ = 0;                     // started for this attempt
  std::function<void(const std::string&)> waiting_;
  bool first_of_attempt_ = false;   // the next rank notes what it imports
  std::set<std::string> reported_;  // those already reported
  TimerId import_timer_ = 0;
  TimerId wait_timer_ = 0;
  TimerId check_timer_ = 0;
};

}  // namespace muster
