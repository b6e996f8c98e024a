#include "core/node/warm/warm_process_host.h"

#include <unistd.h>
#include <csignal>
#include <filesystem>

#include "core/job/job_spec.h"

namespace muster {
namespace {

// Imports that take longer are made by the ranks themselves.
constexpr Duration kPatience = std::chrono::seconds(60);

// What warm_rank.py's _become() reads.
WarmMessage fork_order(const SpawnRequest& request, const std::string& lessons, size_t arguments) {
  WarmMessage order("fork");
  order.number(getpid()).text(lessons);
  order.text(request.stdout_path).text(request.stderr_path).text(request.workdir);
  const std::vector<uint32_t>& cpus = request.cpus.empty() ? request.settings.cpus : request.cpus;
  order.number(static_cast<int64_t>(cpus.size()));
  for (const uint32_t cpu : cpus) order.number(cpu);
  order.list(request.argv).number(static_cast<int64_t>(arguments));
  return order.list(request.environment);
}

}  // namespace

WarmProcessHost::WarmProcessHost(FdLoop& loop, LinuxProcessHost& host, Log& log, WarmFolders folders, Duration hurry)
    : loop_(loop),
      host_(host),
      log_(log),
      folders_(std::move(folders)),
      hurry_(hurry) {}

WarmProcessHost::~WarmProcessHost() {
  *alive_ = false;
  for (const TimerId timer : {patience_timer_, hurry_timer_, news_timer_}) loop_.cancel(timer);
  parent_.reset();
  std::error_code error;
  std::filesystem::remove_all(folders_.mine, error);
}

void WarmProcessHost::prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task,
                              std::function<void(const std::string& remark)> ready) {
  waiting_ = std::move(ready);
  first_of_attempt_ = true;
  std::optional<WarmPlan> plan = warm_plan(ranks, task);
  const bool same = plan && plan_ && task == task_ && plan->identity == plan_->identity;
  if (parent_ && same && fits(*plan_, ranks[0], task)) return refresh();
  let_go();
  task_ = task;
  plan_ = std::move(plan);
  if (!plan_) return settle(task.automatic ? "" : "the command is no Python program that can be started warm");
  lessons_.emplace(folders_.lessons.empty() ? folders_.mine : folders_.lessons, *plan_);
  if (!worth_a_look() || (task_.automatic && lessons_->refused())) return settle("");
  begin();
}

// The ranks may start, forked or not.
void WarmProcessHost::settle(const std::string& remark) {
  loop_.cancel(patience_timer_);
  loop_.cancel(hurry_timer_);
  settle_ranks(remark);
}

void WarmProcessHost::settle_ranks(const std::string& remark) {
  if (!waiting_) return;
  const bool said = remark.empty() || !remarks_.insert(remark).second;
  std::exchange(waiting_, nullptr)(said ? "" : std::string(kNotWarm) + ": " + remark);
}

// The next jobs of such programs do not try again for a while.
void WarmProcessHost::give_up(const std::string& why) {
  log_.info("no warm parent: " + why);
  if (task_.automatic && lessons_) lessons_->refuse(why);
  let_go();
  settle(why);
}

// In a turn of its own: we may be inside its handler.
void WarmProcessHost::let_go() {
  ready_ = false;
  if (parent_) loop_.post([gone = std::shared_ptr<WarmParent>(std::move(parent_))] {});
}

void WarmProcessHost::settle_in_time() {
  loop_.cancel(patience_timer_);
  patience_timer_ = loop_.at(loop_.now() + kPatience,
                             [this] { give_up("their imports took longer than " + humane_duration(kPatience)); });
}

std::string WarmProcessHost::warm() const {
  if (!ready_ || !parent_) return "";
  const std::string& file = plan_->file;
  if (!file.empty()) return std::filesystem::path(file).filename();
  return plan_->command.kind == PythonCommand::Kind::module ? plan_->command.program : "python -c";
}

Result<ForkedRank> WarmProcessHost::fork(const SpawnRequest& request) {
  const std::string lessons = std::exchange(first_of_attempt_, false) && task_.automatic ? lessons_->path() : "";
  return parent_->fork(fork_order(request, lessons, plan_->command.arguments));
}

Result<ProcessHandle> WarmProcessHost::spawn(const SpawnRequest& request, ExitHandler on_exit) {
  if (!ready_ || !parent_ || !parent_->idle() || !fits(*plan_, request, task_))
    return host_.spawn(request, std::move(on_exit));
  Result<ForkedRank> rank = fork(request);
  if (!rank.ok()) {
    give_up(rank.status().message());
    return host_.spawn(request, std::move(on_exit));
  }
  Result<ProcessHandle> taken = host_.take_in(rank->pid, request, on_exit);
  if (!taken.ok()) return host_.spawn(request, std::move(on_exit));
  open_gate(*rank);
  return taken;
}

}  // namespace muster
