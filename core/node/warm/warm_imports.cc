#include "core/node/warm/warm_imports.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/text.h"
#include "core/base/time.h"
#include "core/node/warm/warm_hook.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Imports that take longer are made by the ranks themselves.
constexpr Duration kPatience = std::chrono::seconds(60);
constexpr size_t kTextLooked = 64 << 10;
constexpr Duration kNewsLook = std::chrono::seconds(1);
constexpr int kMostParents = 6;  // per attempt, each without what the one before could not live with

bool make_private(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return chmod(folder.c_str(), 0700) == 0;
}

bool write_hook(const std::string& folder) {
  if (!make_private(folder)) return false;
  std::ofstream file(folder + "/sitecustomize.py", std::ios::trunc);
  file << kWarmHook;
  return static_cast<bool>(file.flush());
}

std::string beginning_of(const std::string& path) {
  std::ifstream file(path);
  std::string text(kTextLooked, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

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

WarmImports::WarmImports(FdLoop& loop, ProcessHost& host, Log& log, WarmFolders folders, Duration hurry)
    : loop_(loop),
      host_(host),
      log_(log),
      folders_(std::move(folders)),
      hurry_(hurry) {}

WarmImports::~WarmImports() {
  for (const TimerId timer : {patience_timer_, hurry_timer_, news_timer_}) loop_.cancel(timer);
  parent_.reset();
  std::error_code error;
  fs::remove_all(folders_.mine, error);
}

void WarmImports::prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task,
                          std::function<void(const std::string& remark)> ready) {
  waiting_ = std::move(ready);
  first_of_attempt_ = true;
  std::optional<WarmPlan> plan = warm_plan(ranks, task);
  const bool same = plan && plan_ && task == task_ && plan->identity == plan_->identity;
  if (parent_ && same && muster::fits(*plan_, ranks[0], task)) return refresh();
  let_go();
  task_ = task;
  plan_ = std::move(plan);
  if (!plan_) return settle(task.automatic ? "" : "the command is no Python program that can be started warm");
  lessons_.emplace(folders_.lessons.empty() ? folders_.mine : folders_.lessons, *plan_);
  if (!worth_a_look() || (task_.automatic && lessons_->refused())) return settle("");
  begin();
}

// The ranks may start, forked or not.
void WarmImports::settle(const std::string& remark) {
  loop_.cancel(patience_timer_);
  loop_.cancel(hurry_timer_);
  settle_ranks(remark);
}

void WarmImports::settle_ranks(const std::string& remark) {
  if (!waiting_) return;
  const bool said = remark.empty() || !remarks_.insert(remark).second;
  std::exchange(waiting_, nullptr)(said ? "" : std::string(kNotWarm) + ": " + remark);
}

// The next jobs of such programs do not try again for a while.
void WarmImports::give_up(const std::string& why) {
  log_.info("no warm parent: " + why);
  if (task_.automatic && lessons_) lessons_->refuse(why);
  let_go();
  settle(why);
}

// In a turn of its own: we may be inside its handler.
void WarmImports::let_go() {
  ready_ = false;
  if (parent_) loop_.post([gone = std::shared_ptr<WarmParent>(std::move(parent_))] {});
}

void WarmImports::settle_in_time() {
  loop_.cancel(patience_timer_);
  patience_timer_ = loop_.at(loop_.now() + kPatience,
                             [this] { give_up("their imports took longer than " + humane_duration(kPatience)); });
}

std::string WarmImports::warm() const {
  if (!ready_ || !parent_) return "";
  const std::string& file = plan_->file;
  if (!file.empty()) return fs::path(file).filename();
  return plan_->command.kind == PythonCommand::Kind::module ? plan_->command.program : "python -c";
}

bool WarmImports::fits(const SpawnRequest& request) const {
  return ready_ && parent_ && parent_->idle() && muster::fits(*plan_, request, task_);
}

Result<ForkedRank> WarmImports::fork(const SpawnRequest& request) {
  const std::string lessons = std::exchange(first_of_attempt_, false) && task_.automatic ? lessons_->path() : "";
  Result<ForkedRank> rank = parent_->fork(fork_order(request, lessons, plan_->command.arguments));
  if (!rank.ok()) give_up(rank.status().message());
  return rank;
}

std::vector<std::string> WarmImports::news() {
  if (!task_.automatic) return {};
  std::vector<std::string> names = lessons_->imports();
  std::erase_if(names, [this](const std::string& name) { return imported_.count(name) > 0; });
  return names;
}

// An interpreter of its own costs a short program more than it saves.
bool WarmImports::worth_a_look() {
  if (task_.always || !task_.automatic || !lessons_->imports().empty()) return true;
  return !plan_->file.empty() && imports_much(beginning_of(plan_->file));
}

void WarmImports::begin() {
  if (!write_hook(folders_.mine)) return give_up("no files can be written in " + folders_.mine);
  settle_in_time();
  parents_ = 0;
  hurry();
  scan();
}

// Asked of an interpreter without a program, so that one which does not come to the hook does no harm either.
void WarmImports::scan() {
  let_go();
  if (++parents_ > kMostParents) return give_up("one import after the other cannot be shared");
  SpawnRequest request = plan_->parent;
  request.argv = plan_->command.interpreter;
  request.argv.insert(request.argv.end(), {"-c", ""});
  auto started = WarmParent::start(loop_, host_, request, folders_.mine);
  if (!started.ok()) return give_up(started.status().message());
  parent_ = std::move(*started);
  const std::vector<std::string> known = task_.automatic ? lessons_->imports() : std::vector<std::string>();
  const std::set<std::string> avoided = lessons_->avoided();
  WarmMessage order("scan");
  order.text(task_.automatic ? plan_->file : "").text(plan_->path0).list(known);
  order.list({avoided.begin(), avoided.end()});
  parent_->ask(order, [this](const Fields& answer) {
    loop_.cancel(hurry_timer_);
    if (answer.size() < 2) return give_up("its interpreter does not run sitecustomize with the words it is given");
    const std::vector<std::string> found(answer.begin() + 2, answer.end());
    start_parent(task_.automatic ? found : task_.modules);
  });
}

void WarmImports::start_parent(const std::vector<std::string>& modules) {
  let_go();
  imported_.clear();
  auto started = WarmParent::start(loop_, host_, plan_->parent, folders_.mine);
  if (!started.ok()) return give_up(started.status().message());
  parent_ = std::move(*started);
  preload(modules);
}

void WarmImports::preload(const std::vector<std::string>& modules) {
  ready_ = false;
  imported_.insert(modules.begin(), modules.end());
  WarmMessage order("preload");
  order.text(plan_->path0).number(task_.automatic ? 0 : 1).list(place_names(task_)).list(modules);
  parent_->ask(order, [this](const Fields& answer) { preloaded(answer); });
}

void WarmImports::preloaded(const Fields& answer) {
  if (answer.empty()) return give_up("their parent ended while it imported");
  if (answer[0] != "ready") return cannot_share(answer.at(1), {answer.begin() + 2, answer.end()});
  ready_ = true;
  news_before_ = 0;
  loop_.cancel(news_timer_);
  news_timer_ = loop_.at(next_whole(loop_.now(), kNewsLook), [this] { look_for_news(); });
  settle("");
}

// Another parent does without those modules: what they did cannot be undone. The ranks need not wait for it.
void WarmImports::cannot_share(const std::string& why, const std::vector<std::string>& culprits) {
  if (!task_.automatic || !lessons_->avoid(culprits)) return give_up(why);
  log_.info("a new warm parent: " + why);
  settle("");
  scan();
}

// For another attempt: what was imported may have changed on disk, and the last attempt may have taught more.
void WarmImports::refresh() {
  settle_in_time();
  hurry();
  parents_ = 0;
  parent_->ask(WarmMessage("check"), [this](const Fields& answer) {
    loop_.cancel(hurry_timer_);
    const bool fresh = !answer.empty() && answer[0] == "fresh" && (!task_.automatic || lessons_->hold());
    if (!fresh) {
      log_.info("a new warm parent: " + (answer.size() > 1 ? answer[1] + " has changed" : "the old one is of no use"));
      return scan();
    }
    const std::vector<std::string> names = news();
    if (names.empty() && ready_) return settle("");
    preload(names);
  });
}

void WarmImports::hurry() {
  loop_.cancel(hurry_timer_);
  hurry_timer_ = loop_.at(loop_.now() + hurry_, [this] { settle_ranks(""); });
}

// While ranks run: once they have imported nothing new for a while, so does the parent.
void WarmImports::look_for_news() {
  news_timer_ = loop_.at(next_whole(loop_.now(), kNewsLook), [this] { look_for_news(); });
  if (!parent_ || !ready_ || waiting_) return;
  const std::vector<std::string> names = news();
  const bool settled = !names.empty() && names.size() == news_before_;
  news_before_ = names.size();
  if (settled) preload(names);
}

}  // namespace muster
