// WarmProcessHost: a ProcessHost that forks Python ranks from a parent which has imported what they begin with, and executes
// everybody else. It learns what that is: a rank notes what it imports, for the next attempt and the next job.
//
// Loop thread only. One parent at a time; it dies with us.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "core/node/warm/warm_lessons.h"
#include "core/node/warm/warm_parent.h"
#include "core/node/warm/warm_plan.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

// Where it keeps its files; both are made when they are needed.
struct WarmFolders {
  std::string mine;     // of this process, on a short path; removed at the end
  std::string lessons;  // what programs import, across jobs; empty: forgotten
};

class WarmProcessHost final : public ProcessHost, public WarmStart {
 public:
  // `hurry`: how long ranks wait for what takes milliseconds: on a slow disk they are executed, and the parent is there for the next.
  WarmProcessHost(FdLoop& loop, LinuxProcessHost& host, Log& log, WarmFolders folders,
                  Duration hurry = std::chrono::seconds(2));
  ~WarmProcessHost() override;

  void prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task,
               std::function<void(const std::string& remark)> ready) override;

  std::string warm() const override;

  // Of what was prepared: forked. Else, and when that fails: executed.
  Result<ProcessHandle> spawn(const SpawnRequest& request, ExitHandler on_exit) override;

  Result<ProcessHandle> adopt(const ProcessIdentity& identity, ExitHandler on_exit) override {
    return host_.adopt(identity, std::move(on_exit));
  }
  ProcessIdentity identity(ProcessHandle process) const override { return host_.identity(process); }
  void signal(ProcessHandle process, int number) override { host_.signal(process, number); }
  void sweep(std::function<void(uint32_t killed)> done) override { host_.sweep(std::move(done)); }
  void end_marked(const std::vector<std::string>& marks, std::function<void()> done) override {
    host_.end_marked(marks, std::move(done));
  }
  void write_tty(ProcessHandle process, std::string_view bytes) override { host_.write_tty(process, bytes); }
  void resize_tty(ProcessHandle process, uint16_t rows, uint16_t columns) override {
    host_.resize_tty(process, rows, columns);
  }

 private:
  using Fields = std::vector<std::string>;

  // warm_process_host.cc
  void settle(const std::string& remark);
  void settle_ranks(const std::string& remark);
  void give_up(const std::string& why);
  void let_go();
  void settle_in_time();
  Result<ForkedRank> fork(const SpawnRequest& request);

  // warm_imports.cc
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
  LinuxProcessHost& host_;
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
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
