// What a warm parent imports: what its program was seen to import, or what a look at the program tells.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/adapter/warm/warm_hook.h"
#include "core/adapter/warm/warm_process_host.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLessons = 20'000;
constexpr size_t kTextLooked = 64 << 10;
constexpr Duration kNewsLook = std::chrono::seconds(1);

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

std::string WarmProcessHost::lessons_path() const {
  const std::string& folder = folders_.lessons.empty() ? folders_.mine : folders_.lessons;
  return folder + "/" + plan_->key() + ".imports";
}

// In the order in which they were imported, each once.
std::vector<std::string> WarmProcessHost::lessons() const {
  std::vector<std::string> names;
  std::set<std::string> seen;
  std::ifstream file(lessons_path());
  for (std::string name; names.size() < kMostLessons && std::getline(file, name);) {
    if (!name.empty() && avoided_.count(name) == 0 && seen.insert(name).second) names.push_back(name);
  }
  return names;
}

std::vector<std::string> WarmProcessHost::news() const {
  if (!task_.automatic) return {};
  std::vector<std::string> names = lessons();
  std::erase_if(names, [this](const std::string& name) { return imported_.count(name) > 0; });
  return names;
}

// An interpreter of its own costs a short program more than it saves.
bool WarmProcessHost::worth_a_look() const {
  if (task_.always || !task_.automatic || !lessons().empty()) return true;
  return !plan_->file.empty() && imports_much(beginning_of(plan_->file));
}

void WarmProcessHost::begin() {
  if (!write_hook(folders_.mine)) return give_up("no files can be written in " + folders_.mine);
  if (task_.automatic && !folders_.lessons.empty()) make_private(folders_.lessons);
  settle_in_time();
  scan();
}

// Asked of an interpreter without a program, so that one which does not come to the hook does no harm either.
void WarmProcessHost::scan() {
  let_go();
  SpawnRequest request = plan_->parent;
  request.argv = plan_->command.interpreter;
  request.argv.insert(request.argv.end(), {"-c", ""});
  auto started = WarmParent::start(loop_, host_, request, folders_.mine);
  if (!started.ok()) return give_up(started.status().message());
  parent_ = std::move(*started);
  std::vector<std::string> wanted = task_.modules;
  const std::vector<std::string> known = task_.automatic ? lessons() : std::vector<std::string>();
  wanted.insert(wanted.end(), known.begin(), known.end());
  WarmMessage order("scan");
  order.text(task_.automatic ? plan_->file : "").text(plan_->path0).list(wanted);
  parent_->ask(order, [this](const Fields& answer) {
    if (answer.size() < 2) return give_up("its interpreter does not run sitecustomize");
    const std::vector<std::string> found(answer.begin() + 2, answer.end());
    if (found.empty() && task_.automatic && !task_.always) return give_up("");
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
  order.text(plan_->path0).number(task_.automatic ? 0 : 1).list(modules);
  parent_->ask(order, [this](const Fields& answer) { preloaded(answer); });
}

void WarmProcessHost::preloaded(const Fields& answer) {
  if (answer.empty()) return give_up("their parent ended while it imported");
  if (answer[0] != "ready") {
    const std::string culprit = answer.size() > 2 ? answer[2] : "";
    if (!task_.automatic || culprit.empty() || !avoided_.insert(culprit).second)
      return give_up(answer.size() > 1 ? answer[1] : "");
    return scan();  // without it, in a new one: what it did cannot be undone
  }
  ready_ = true;
  news_before_ = 0;
  loop_.cancel(news_timer_);
  news_timer_ = loop_.at(loop_.now() + kNewsLook, [this] { look_for_news(); });
  settle("");
}

// For another attempt: what was imported may have changed on disk, and the last attempt may have taught more.
void WarmProcessHost::refresh() {
  settle_in_time();
  parent_->ask(WarmMessage("check"), [this](const Fields& answer) {
    if (answer.empty() || answer[0] != "fresh") {
      log_.info("a new warm parent: " + (answer.size() > 1 ? answer[1] + " has changed" : "the old one ended"));
      return scan();
    }
    const std::vector<std::string> names = news();
    if (names.empty() && ready_) return settle("");
    preload(names);
  });
}

// While ranks run: once they have imported nothing new for a while, so does the parent.
void WarmProcessHost::look_for_news() {
  news_timer_ = loop_.at(loop_.now() + kNewsLook, [this] { look_for_news(); });
  if (!parent_ || !ready_ || waiting_) return;
  const std::vector<std::string> names = news();
  const bool settled = !names.empty() && names.size() == news_before_;
  news_before_ = names.size();
  if (settled) preload(names);
}

}  // namespace muster
