// SPDX-License-Identifier: Apache-2.0
#include "core/agent/container/node_container.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMostLines = 3;
constexpr size_t kMostShown = 200;  // bytes of a line in a sentence
// A container that ends is opened again after 1 s, 2 s, 4 s and so on. Once it was open for a minute, this begins anew.
constexpr int kMostOpenings = 5;
constexpr Duration kFirstPause = std::chrono::seconds(1);
constexpr Duration kLasts = std::chrono::seconds(60);
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
// A shell that has read end of file ends at once; the program then removes the container.
constexpr Duration kEnds = std::chrono::seconds(5);
constexpr Duration kRemoves = std::chrono::seconds(20);

std::string shown(const std::string& line) {
  const std::string text = escaped(line);
  return text.size() > kMostShown ? text.substr(0, kMostShown) + " …" : text;
}

std::string pid_in(const std::string& line) {
  const std::string word = std::string(kContainerOpen) + " ";
  return line.starts_with(word) ? line.substr(word.size()) : "";
}

}  // namespace

NodeContainer::NodeContainer(Loop& loop, ContainerHost& host, ContainerTask task, NodeContainerStart start,
                             std::function<void()> changed)
    : loop_(loop),
      host_(host),
      start_(std::move(start)),
      changed_(std::move(changed)) {
  order_.name = start_.name;
  order_.task = std::move(task);
  order_.workdir = start_.workdir;
  if (start_.folder.starts_with('/')) order_.scratch = start_.folder + "/volumes/" + start_.name;
}

NodeContainer::~NodeContainer() {
  *alive_ = false;
  loop_.cancel(timer_);
}

std::map<std::string, std::string> NodeContainer::environment(const std::map<std::string, std::string>& host) const {
  return container_environment(opened_.environment, host, order_.place);
}

void NodeContainer::open() {
  order_.place = host_.place(start_.environment);
  if (!start_.folder.empty()) order_.place.folders.push_back(start_.folder);
  left_ = programs_for(order_.task);
  open_with_next();
}

bool NodeContainer::needs_scratch() const {
  const auto& mounts = order_.task.mounts;
  return std::any_of(mounts.begin(), mounts.end(), [](const ContainerMount& each) { return each.source.empty(); });
}

void NodeContainer::open_with_next() {
  if (needs_scratch() && order_.scratch.empty())
    return fail("its output has no folder yet, so there is no place for the new folders of in_image.mounts");
  if (!choose()) return fail(no_program());
  if (const std::string why = unmountable(order_); !why.empty()) return fail(why);
  commands_ = container_commands(order_);
  look_for_image();
}

// Sets program and path of order_. False: no program is left.
bool NodeContainer::choose() {
  while (!left_.empty()) {
    order_.program = left_.front();
    left_.erase(left_.begin());
    const std::string name(to_string(order_.program));
    for (const std::string& file : program_files(order_.program)) {
      order_.path = host_.find(file, start_.environment);
      if (!order_.path.empty()) break;
    }
    if (order_.path.empty()) {
      absent_.push_back(name);
      continue;
    }
    const std::string reason = unusable(order_.program, order_.task, order_.place);
    if (reason.empty()) return true;
    reasons_.push_back(name + " is installed, but " + reason);
  }
  return false;
}

std::string NodeContainer::no_program() const {
  std::vector<std::string> why;
  if (absent_.size() == 1) why.push_back(absent_.front() + " is not in PATH");
  if (absent_.size() > 1) why.push_back("none of " + join(absent_, ", ") + " is in PATH");
  why.insert(why.end(), reasons_.begin(), reasons_.end());
  return "no program on this host can open images: " + join(why, "; ") +
         ". Install one of them, or set in_image.program. Without in_image, ranks run on the host";
}

void NodeContainer::look_for_image() {
  tell(SetupPhase::running, "looking for the image " + order_.task.image);
  run(commands_.check, [this](int code) {
    if (code == 0) return prepare();
    if (!commands_.probe.empty()) return probe();
    if (!commands_.pull.empty()) return fetch();
    fail("there is no image " + commands_.check.back() + ". Copy it there, or name an image of a registry");
  });
}

// The check also fails if the program itself does not work, for example because the docker daemon is not running.
void NodeContainer::probe() {
  run(commands_.probe, [this](int code) {
    if (code == 0) return fetch();
    reasons_.push_back(std::string(to_string(order_.program)) + " is installed, but `" +
                       escaped(join(commands_.probe, " ")) + "` failed: " + output_of(code));
    open_with_next();
  });
}

void NodeContainer::fetch() {
  const std::string command = "`" + escaped(commands_.pull_text) + "`";
  pulling_ = command.size() > kMostShown ? shown(commands_.pull_text) : command;
  tell(SetupPhase::running, pulling_);
  run(commands_.pull, [this, command](int code) {
    pulling_.clear();
    if (code == 0) return prepare();
    fail("the image " + order_.task.image + " could not be fetched: " + output_of(code) +
         ". Check the name, and whether you may pull it; for more, run " + command);
  });
}

void NodeContainer::prepare() {
  prepared_ = true;
  for (const auto& [name, removal] :
       {std::pair(order_.name, &commands_.remove), {volumes_name(), &commands_.discard}}) {
    const Status kept = removal->empty() ? Status() : host_.remember(name, *removal, start_.environment);
    if (!kept.ok()) return fail(kept.message());
  }
  if (commands_.prepare.empty()) return keep_open();
  run(commands_.prepare, [this](int code) {
    if (code == 0) return write_files();
    fail("folders for the mounts could not be made: " + output_of(code));
  });
}

void NodeContainer::write_files() {
  for (const auto& [path, text] : order_.task.files) {
    if (const Status written = host_.write_file(order_.scratch + path, text); !written.ok())
      return fail(written.message());
  }
  keep_open();
}

void NodeContainer::keep_open() {
  tell(SetupPhase::running,
       "opening the image " + order_.task.image + " with " + std::string(to_string(order_.program)));
  run(commands_.open, [this](int code) { ended_early(code); });
  on_line_ = [this](const std::string& line) { entered(line); };
}

void NodeContainer::entered(const std::string& line) {
  const std::string text = pid_in(line);
  int64_t pid = 0;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  if (pid <= 0 || closing_) return;
  Result<OpenedContainer> opened = host_.open(pid, order_.name);
  if (!opened.ok())
    return fail("the container of " + order_.task.image + " cannot be joined: " + opened.status().message());
  opened_ = std::move(*opened);
  opened_at_ = loop_.now();
  tell(SetupPhase::done, "");
}

void NodeContainer::ended_early(int code) {
  opened_.entry.reset();
  if (closing_) return remove();
  if (report_.phase == SetupPhase::failed) return;
  if (opened_at_ && report_.phase == SetupPhase::done && loop_.now() - *opened_at_ >= kLasts) openings_ = 0;
  if (!opened_at_ || ++openings_ >= kMostOpenings) {
    const bool no_shell = code == kNotExecutable || code == kNotFound;
    return fail("the image " + order_.task.image + " could not be opened by " + order_.path + ": " + output_of(code) +
                (no_shell ? ". The image needs /bin/sh" : ""));
  }
  tell(SetupPhase::running, "the container has ended and is opened again");
  timer_ = loop_.at(loop_.now() + kFirstPause * (1 << (openings_ - 1)), [this] { keep_open(); });
}

void NodeContainer::close() {
  if (closed_ || closing_) return;
  closing_ = true;
  opened_.entry.reset();
  if (!running_) return remove();
  const bool open = on_line_ != nullptr;
  if (!open) running_.reset();
  if (!open) return remove();
  running_->end_input();
  loop_.cancel(timer_);
  timer_ = loop_.at(loop_.now() + kEnds, [this] {
    running_.reset();
    remove();
  });
}

// The program has usually removed the container itself. Then there is nothing left to remove.
void NodeContainer::remove() {
  if (!prepared_) return is_closed();
  clean_up(commands_.remove, order_.name, [this] { discard(); });
}

void NodeContainer::discard() {
  clean_up(commands_.discard, volumes_name(), [this] { is_closed(); });
}

// After a failure the command stays remembered, so that the guardian repeats it when this process has ended.
void NodeContainer::clean_up(const std::vector<std::string>& argv, const std::string& name,
                             std::function<void()> then) {
  loop_.cancel(timer_);
  if (argv.empty()) return then();
  timer_ = loop_.at(loop_.now() + kRemoves, [this, argv, then] {
    running_.reset();
    not_removed(argv, "it did not end within " + humane_duration(kRemoves));
    then();
  });
  run(argv, [this, argv, name, then](int code) {
    const bool absent = std::any_of(said_.begin(), said_.end(), [](const std::string& line) {
      return line.find("o such container") != std::string::npos;  // from older versions of docker
    });
    if (code == 0 || absent)
      host_.forget(name);
    else
      not_removed(argv, output_of(code));
    then();
  });
}

void NodeContainer::not_removed(const std::vector<std::string>& argv, const std::string& why) {
  const bool folders = argv == commands_.discard;
  trouble_ = (folders ? "the folder " + order_.scratch : "the container " + order_.name) + " on " + start_.host +
             " could not be removed: " + why +
             ". Remove it by hand: " + (folders ? "rm -rf " + order_.scratch : escaped(join(argv, " ")));
}

void NodeContainer::is_closed() {
  loop_.cancel(timer_);
  running_.reset();
  closed_ = true;
  changed_();
}

void NodeContainer::run(const std::vector<std::string>& argv, std::function<void(int code)> then) {
  said_.clear();
  on_line_ = nullptr;
  ContainerRunEvents events;
  events.printed = [this](const std::string& line) {
    if (on_line_) on_line_(line);
  };
  events.said = [this](const std::string& line) {
    if (line.find_first_not_of(' ') == std::string::npos) return;
    said_.push_back(line);
    if (said_.size() > kMostLines) said_.erase(said_.begin());
    if (!pulling_.empty()) tell(SetupPhase::running, pulling_ + ": " + shown(line));
  };
  events.ended = [this, then = std::move(then)](int code) {
    const auto next = then;
    running_.reset();
    next(code);
  };
  auto started = host_.run(argv, start_.environment, std::move(events));
  if (started.ok()) {
    running_ = std::move(*started);
  } else if (closing_) {
    trouble_ = started.status().message();
    is_closed();
  } else {
    fail(started.status().message());
  }
}

std::string NodeContainer::output_of(int code) const {
  if (said_.empty()) return "it exited with code " + std::to_string(code);
  std::vector<std::string> lines;
  for (const std::string& line : said_) lines.push_back(shown(line));
  return join(lines, " | ");
}

void NodeContainer::fail(const std::string& why) {
  report_.failure = "in_image on " + start_.host + ": " + why;
  tell(SetupPhase::failed, "");
}

void NodeContainer::tell(SetupPhase phase, const std::string& doing) {
  const bool same = report_.phase == phase && report_.doing == doing;
  report_.phase = phase;
  report_.doing = doing;
  if (!same) changed_();
}

}  // namespace muster
