// What a warm parent imports: what its program was seen to import, or what a look at the program tells.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/node/warm/warm_hook.h"
#include "core/node/warm/warm_process_host.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

std::vector<std::string> WarmProcessHost::news() {
  if (!task_.automatic) return {};
  std::vector<std::string> names = lessons_->imports();
  std::erase_if(names, [this](const std::string& name) { return imported_.count(name) > 0; });
  return names;
}

// An interpreter of its own costs a short program more than it saves.
bool WarmProcessHost::worth_a_look() {
  if (task_.always || !task_.automatic || !lessons_->imports().empty()) return true;
  return !plan_->file.empty() && imports_much(beginning_of(plan_->file));
}

void WarmProcessHost::begin() {
  if (!write_hook(folders_.mine)) return give_up("no files can be written in " + folders_.mine);
  settle_in_time();
  parents_ = 0;
  hurry();
  scan();
}

// Asked of an interpreter without a program, so that one which does not come to the hook does no harm either.
void WarmProcessHost::scan() {
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

void WarmProcessHost::start_parent(const std::vector<std::string>& modules) {
  let_go();
  imported_.clear();
  auto started = WarmParent::start(loop_, host_, plan_->parent, folders_.mine);
  if (!started.ok()) return give_up(started.status().message());
  parent_ = std::move(*started);
  preload(modules);
}

void WarmProcessHost::preload(const std::vector<std::string>& modules) {
  ready_ = false;
  imported_.insert(modules.begin(), modules.end());
  WarmMessage order("preload");
  order.text(plan_->path0).number(task_.automatic ? 0 : 1).list(place_names(task_)).list(modules);
  parent_->ask(order, [this](const Fields& answer) { preloaded(answer); });
}

void WarmProcessHost::preloaded(const Fields& answer) {
  if (answer.empty()) return give_up("their parent ended while it imported");
  if (answer[0] != "ready") return cannot_share(answer.at(1), {answer.begin() + 2, answer.end()});
  ready_ = true;
  news_before_ = 0;
  loop_.cancel(news_timer_);
  news_timer_ = loop_.at(next_whole(loop_.now(), kNewsLook), [this] { look_for_news(); });
  settle("");
}

// Another parent does without those modules: what they did cannot be undone. The ranks need not wait for it.
void WarmProcessHost::cannot_share(const std::string& why, const std::vector<std::string>& culprits) {
  if (!task_.automatic || !lessons_->avoid(culprits)) return give_up(why);
  log_.info("a new warm parent: " + why);
  settle("");
  scan();
}

// For another attempt: what was imported may have changed on disk, and the last attempt may have taught more.
void WarmProcessHost::refresh() {
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

void WarmProcessHost::hurry() {
  loop_.cancel(hurry_timer_);
  hurry_timer_ = loop_.at(loop_.now() + hurry_, [this] { settle_ranks(""); });
}

// While ranks run: once they have imported nothing new for a while, so does the parent.
void WarmProcessHost::look_for_news() {
  news_timer_ = loop_.at(next_whole(loop_.now(), kNewsLook), [this] { look_for_news(); });
  if (!parent_ || !ready_ || waiting_) return;
  const std::vector<std::string> names = news();
  const bool settled = !names.empty() && names.size() == news_before_;
  news_before_ = names.size();
  if (settled) preload(names);
}

}  // namespace muster
