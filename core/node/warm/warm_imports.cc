// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_imports.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/node/warm/warm_hook.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// If the imports take longer, the ranks make them themselves.
constexpr Duration kImportTimeout = std::chrono::seconds(60);
constexpr size_t kTextBytes = 64 << 10;
constexpr Duration kCheckPeriod = std::chrono::seconds(1);
constexpr int kMostParents = 6;  // per attempt; each avoids the modules that the one before could not share

bool make_private(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return chmod(folder.c_str(), 0700) == 0;
}

bool write_hook(const std::string& folder) {
  // Python would create the folder of compiled files with the rank's umask.
  if (!make_private(folder) || !make_private(folder + "/__pycache__")) return false;
  const std::string path = folder + "/sitecustomize.py";
  if (!make_private_file(path)) return false;
  std::ofstream file(path, std::ios::trunc);
  file << kWarmHook;
  return static_cast<bool>(file.flush());
}

std::string beginning_of(const std::string& path) {
  std::ifstream file(path);
  std::string text(kTextBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// The order that _become() of warm_rank.py reads.
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

WarmImports::WarmImports(FdLoop& loop, ProcessHost& host, Log& log, WarmFolders folders, Duration wait_limit)
    : loop_(loop),
      host_(host),
      log_(log),
      folders_(std::move(folders)),
      wait_limit_(wait_limit) {}

WarmImports::~WarmImports() {
  for (const TimerId timer : {import_timer_, wait_timer_, check_timer_}) loop_.cancel(timer);
  parent_.reset();
  std::error_code error;
  fs::remove_all(folders_.mine, error);
}

void WarmImports::prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task,
                          std::function<void(const std::string& reason)> ready) {
  waiting_ = std::move(ready);
  first_of_attempt_ = true;
  std::optional<WarmPlan> plan = warm_plan(ranks, task);
  const bool same = plan && plan_ && task == task_ && plan->identity == plan_->identity;
  if (parent_ && same && muster::fits(*plan_, ranks[0], task)) return refresh();
  drop_parent();
  task_ = task;
  plan_ = std::move(plan);
  if (!plan_) return finish(task.automatic ? "" : "the command is not a Python program that can be started warm");
  lessons_.emplace(folders_.lessons.empty() ? folders_.mine : folders_.lessons, *plan_);
  if (!is_worthwhile() || (task_.automatic && lessons_->refused())) return finish("");
  begin();
}

// The imports are finished or given up: stops the timers and lets the ranks start.
void WarmImports::finish(const std::string& reason) {
  loop_.cancel(import_timer_);
  loop_.cancel(wait_timer_);
  release_ranks(reason);
}

void WarmImports::release_ranks(const std::string& reason) {
  if (!waiting_) return;
  const bool said = reason.empty() || !reported_.insert(reason).second;
  std::exchange(waiting_, nullptr)(said ? "" : std::string(kNotWarm) + ": " + reason);
}

// Also prevents later jobs of the same program from trying again for a day.
void WarmImports::give_up(const std::string& why) {
  log_.info("no warm parent: " + why);
  if (task_.automatic && lessons_) lessons_->refuse(why);
  drop_parent();
  finish(why);
}

// Destroys the parent in a later turn, because this may run inside the parent's own handler.
void WarmImports::drop_parent() {
  ready_ = importing_ = checking_ = false;
  if (parent_) loop_.post([gone = std::shared_ptr<WarmParent>(std::move(parent_))] {});
}

void WarmImports::start_import_timer() {
  loop_.cancel(import_timer_);
  import_timer_ = loop_.at(loop_.now() + kImportTimeout,
                           [this] { give_up("the imports took longer than " + humane_duration(kImportTimeout)); });
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

std::vector<std::string> WarmImports::new_imports() {
  if (!task_.automatic) return {};
  std::vector<std::string> names = lessons_->imports();
  std::erase_if(names, [this](const std::string& name) { return imported_.count(name) > 0; });
  return names;
}

// For a short program, a warm parent costs more than it saves.
bool WarmImports::is_worthwhile() {
  if (task_.always || !task_.automatic || !lessons_->imports().empty()) return true;
  return !plan_->file.empty() && imports_much(beginning_of(plan_->file));
}

void WarmImports::begin() {
  if (!write_hook(folders_.mine)) return give_up("cannot write to " + folders_.mine);
  in_use_ = UniqueFd(open(folders_.mine.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  flock(in_use_.get(), LOCK_SH | LOCK_NB);
  start_import_timer();
  parents_ = 0;
  start_wait_timer();
  scan();
}

// Uses an interpreter without a program: if it does not run the hook, the program does not run by mistake.
void WarmImports::scan() {
  drop_parent();
  if (++parents_ > kMostParents) return give_up("too many packages cannot be shared between ranks");
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
    loop_.cancel(wait_timer_);
    if (answer.size() < 2) return give_up("the interpreter does not run sitecustomize with these arguments");
    const std::vector<std::string> found(answer.begin() + 2, answer.end());
    start_parent(task_.automatic ? found : task_.modules);
  });
}

void WarmImports::start_parent(const std::vector<std::string>& modules) {
  drop_parent();
  imported_.clear();
  auto started = WarmParent::start(loop_, host_, plan_->parent, folders_.mine);
  if (!started.ok()) return give_up(started.status().message());
  parent_ = std::move(*started);
  preload(modules);
}

void WarmImports::preload(const std::vector<std::string>& modules) {
  ready_ = false;
  importing_ = true;
  imported_.insert(modules.begin(), modules.end());
  WarmMessage order("preload");
  order.text(plan_->path0).number(task_.automatic ? 0 : 1).list(place_names(task_)).list(modules);
  parent_->ask(order, [this](const Fields& answer) { preloaded(answer); });
}

void WarmImports::preloaded(const Fields& answer) {
  importing_ = false;
  if (answer.empty()) return give_up("the warm parent ended while it imported modules");
  if (answer[0] != "ready") return start_without(answer.at(1), {answer.begin() + 2, answer.end()});
  ready_ = true;
  loop_.cancel(check_timer_);
  check_timer_ = loop_.at(next_whole(loop_.now(), kCheckPeriod), [this] { check_new_imports(); });
  if (!checking_) finish("");  // otherwise the answer to the check, which comes next, lets the ranks start
}

// The effects of those modules cannot be undone, so a new parent is started without them. The ranks do not wait for it.
void WarmImports::start_without(const std::string& why, const std::vector<std::string>& culprits) {
  if (!task_.automatic || !lessons_->avoid(culprits)) return give_up(why);
  log_.info("starting a new warm parent: " + why);
  finish("");
  scan();
}

// For another attempt: imported files may have changed on disk, and the last attempt may have noted more imports.
void WarmImports::refresh() {
  start_import_timer();
  if (!importing_) start_wait_timer();
  parents_ = 0;
  checking_ = true;
  parent_->ask(WarmMessage("check"), [this](const Fields& answer) {
    checking_ = false;
    loop_.cancel(wait_timer_);
    const bool fresh = !answer.empty() && answer[0] == "fresh" && (!task_.automatic || lessons_->valid());
    if (!fresh) {
      log_.info("starting a new warm parent: " +
                (answer.size() > 1 ? answer[1] + " has changed" : "the old one cannot be used any more"));
      return scan();
    }
    const std::vector<std::string> names = new_imports();
    if (names.empty() && ready_) return finish("");
    preload(names);
  });
}

void WarmImports::start_wait_timer() {
  loop_.cancel(wait_timer_);
  wait_timer_ = loop_.at(loop_.now() + wait_limit_, [this] { release_ranks(""); });
}

// While ranks run: imports their new modules into the parent at the same time as the first rank, so that an early restart finds
// them there.
void WarmImports::check_new_imports() {
  check_timer_ = loop_.at(next_whole(loop_.now(), kCheckPeriod), [this] { check_new_imports(); });
  if (!parent_ || !ready_ || waiting_) return;
  const std::vector<std::string> names = new_imports();
  if (!names.empty()) preload(names);
}

}  // namespace muster
