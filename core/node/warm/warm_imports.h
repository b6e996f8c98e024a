// WarmImports: keeps one process ready that has imported what Python ranks begin with, and forks ranks from it. It learns what
// that is: a rank notes what it imports, for the next attempt and the next job.
//
// Loop thread only. One parent at a time; it ends with this object. It outlives the agents of one process, so that the next job
// finds its imports made.
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

namespace muster {

// Where it keeps its files; both are made when they are needed.
struct WarmFolders {
  std::string mine;     // of this process, on a short path; removed at the end
  std::string lessons;  // what programs import, across jobs; empty: forgotten
};

class WarmImports {
 public:
  // `hurry`: how long ranks wait for what takes milliseconds. On a slow disk they are executed, and the parent is there for the next.
  WarmImports(FdLoop& loop, ProcessHost& host, Log& log, WarmFolders folders, Duration hurry = std::chrono::seconds(2));
  ~WarmImports();
  WarmImports(const WarmImports&) = delete;
  WarmImports& operator=(const WarmImports&) = delete;

  // Readies the next fork() of these ranks. `ready` runs once, within the call or in a later turn, with what people should
  // know: why ranks are executed although they need not be. A newer call silences it.
  void prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task,
               std::function<void(const std::string& remark)> ready);

  // What is ready for the next rank, for people: "train.py"; empty: nothing.
  std::string warm() const;

  // Whether this rank can be forked now, and would be what it is when executed.
  bool fits(const SpawnRequest& request) const;
  // A rank that fits. After a failure the parent is given up.
  Result<ForkedRank> fork(const SpawnRequest& request);

 private:
  using Fields = std::vector<std::string>;

  void settle(const std::string& remark);
  void settle_ranks(const std::string& remark);
  void give_up(const std::string& why);
  void let_go();
  void settle_in_time();
  bool worth_a_look();
  void begin();
  void scan();
  void start_parent(const std::vector<std::string>& modules);
  void preload(const std::vector<std::string>& modules);
  void preloaded(const Fields& answer);
  void cannot_share(const std::string& why, const std::vector<std::string>& culprits);
  void refresh();
  void hurry();
  std::vector<std::string> news();
  void look_for_news();

  FdLoop& loop_;
  ProcessHost& host_;
  Log& log_;
  const WarmFolders folders_;
  const Duration hurry_;

  std::optional<WarmPlan> plan_;
  WarmTask task_;
  std::unique_ptr<WarmParent> parent_;
  bool ready_ = false;                  // parent_ has imported all it was asked to
  std::set<std::string> imported_;      // asked of parent_
  std::optional<WarmLessons> lessons_;  // of plan_
  int parents_ = 0;                     // started for this attempt
  std::function<void(const std::string&)> waiting_;
  bool first_of_attempt_ = false;  // the next rank notes what it imports
  size_t news_before_ = 0;
  std::set<std::string> remarks_;  // made already
  TimerId patience_timer_ = 0;
  TimerId hurry_timer_ = 0;
  TimerId news_timer_ = 0;
};

}  // namespace muster
