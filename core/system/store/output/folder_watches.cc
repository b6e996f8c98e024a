// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/folder_watches.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <vector>

#include "core/system/posix/unique_fd.h"

namespace muster::store {
namespace {

constexpr Duration kQuiet = std::chrono::milliseconds(5);
// Within each window, so many changes are reported at once.
constexpr Duration kWindow = std::chrono::milliseconds(100);
constexpr int kAtOnce = 16;
constexpr Duration kLook = std::chrono::milliseconds(250);
constexpr uint32_t kEvents = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
constexpr int kPolled = -1;

}  // namespace

struct FolderWatches::Subscriber {
  int folder = kPolled;  // watch descriptor of inotify; kPolled: none
  std::string path;
  OutputChanged changed;
  bool dirty = false;
  bool any = false;  // a file has changed, but it is unknown which
  std::vector<std::string> files;
  bool counts = false;        // each write is one entry of `files`
  std::vector<int> dividers;  // watch descriptors

  bool is_latest(std::string_view name) const {
    return files.back().size() == path.size() + 1 + name.size() && files.back().ends_with(name);
  }
};

struct FolderWatches::State {
  State(FdLoop& on_loop, std::vector<std::string> suffixes) : loop(on_loop), ignored_suffixes(std::move(suffixes)) {
    inotify = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  }

  void listen();
  void read_events();
  void drain();
  void catch_up();
  void take(const inotify_event& event);
  void mark(int folder, std::string_view name);
  void tell();
  void look();
  void forget(uint64_t id);

  FdLoop& loop;
  const std::vector<std::string> ignored_suffixes;
  UniqueFd inotify;
  std::unique_ptr<LoopWatch> readable;  // null while there is no subscriber, and for kQuiet after an event
  TimerId settle = 0;
  TimePoint window_end;
  int at_once = 0;  // changes that were reported in this window
  TimerId poll = 0;
  uint64_t next_id = 1;
  std::map<uint64_t, Subscriber> subscribers;
};

class FolderWatches::Handle final : public OutputWatch {
 public:
  Handle(std::weak_ptr<State> state, uint64_t id) : state_(std::move(state)), id_(id) {}
  ~Handle() override {
    if (const auto state = state_.lock()) state->forget(id_);
  }
  void catch_up() override {
    if (const auto state = state_.lock()) state->catch_up();
  }

 private:
  const std::weak_ptr<State> state_;
  const uint64_t id_;
};

void FolderWatches::State::listen() {
  if (readable != nullptr || settle != 0 || !inotify.valid() || subscribers.empty()) return;
  readable = loop.watch_readable(inotify.get(), [this] { drain(); });
}

void FolderWatches::State::read_events() {
  alignas(inotify_event) char buffer[64 * (sizeof(inotify_event) + NAME_MAX + 1)];
  ssize_t count = 0;
  while ((count = ::read(inotify.get(), buffer, sizeof buffer)) > 0) {
    for (ssize_t at = 0; at < count;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      take(*event);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

// Many writes would wake the loop many times: after the first few it reports them once, then does not listen for 5 ms.
void FolderWatches::State::drain() {
  read_events();
  if (loop.now() >= window_end) {
    window_end = loop.now() + kWindow;
    at_once = 0;
  }
  if (++at_once <= kAtOnce) return tell();
  readable.reset();
  settle = loop.at(loop.now() + kQuiet, [this] {
    settle = 0;
    listen();
  });
  tell();
}

// The kernel queues the event during the write (inotify(7)), so reading the queue now finds all writes so far.
void FolderWatches::State::catch_up() {
  read_events();
  mark(kPolled, "");
  tell();
}

void FolderWatches::State::take(const inotify_event& event) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    for (auto& [id, subscriber] : subscribers) subscriber.dirty = subscriber.any = true;
    return;
  }
  const std::string_view name(event.len == 0 ? "" : event.name);
  for (const std::string& suffix : ignored_suffixes) {
    if (name.ends_with(suffix)) return;
  }
  mark(event.wd, name);
}

void FolderWatches::State::mark(int folder, std::string_view name) {
  for (auto& [id, subscriber] : subscribers) {
    if (subscriber.folder != folder) continue;
    subscriber.dirty = true;
    if (name.empty()) subscriber.any = true;
    const bool again = !subscriber.counts && !subscriber.files.empty() && subscriber.is_latest(name);
    if (!subscriber.any && !again) subscriber.files.push_back(subscriber.path + "/" + std::string(name));
  }
}

void FolderWatches::State::tell() {
  std::vector<uint64_t> dirty;
  for (const auto& [id, subscriber] : subscribers) {
    if (subscriber.dirty) dirty.push_back(id);
  }
  for (const uint64_t id : dirty) {
    const auto found = subscribers.find(id);  // an earlier callback may have removed this subscriber
    if (found == subscribers.end()) continue;
    std::vector<std::string> files = std::exchange(found->second.files, {});
    if (std::exchange(found->second.any, false)) files.clear();
    found->second.dirty = false;
    const OutputChanged changed = found->second.changed;
    changed(files);
  }
}

void FolderWatches::State::look() {
  poll = 0;
  mark(kPolled, "");
  bool any = false;
  for (const auto& [id, subscriber] : subscribers) any = any || subscriber.folder == kPolled;
  if (any) poll = loop.at(loop.now() + kLook, [this] { look(); });
  tell();
}

void FolderWatches::State::forget(uint64_t id) {
  const auto found = subscribers.find(id);
  const int folder = found->second.folder;
  const std::vector<int> dividers = std::move(found->second.dividers);
  subscribers.erase(found);
  bool shared = false;
  for (const auto& [other, subscriber] : subscribers) shared = shared || subscriber.folder == folder;
  if (folder != kPolled && !shared) ::inotify_rm_watch(inotify.get(), folder);
  for (const int divider : dividers) ::inotify_rm_watch(inotify.get(), divider);
  if (subscribers.empty()) readable.reset();
}

FolderWatches::FolderWatches(FdLoop& loop, std::vector<std::string> ignored_suffixes)
    : state_(std::make_shared<State>(loop, std::move(ignored_suffixes))) {}

FolderWatches::~FolderWatches() {
  state_->loop.cancel(state_->settle);
  state_->loop.cancel(state_->poll);
  state_->readable.reset();
}

// The kernel joins a write to the last event in its queue if both say the same. A second watch on a file, of which the events are
// ignored, puts another event between them. So each write has an event in the folder's watch.
std::unique_ptr<OutputWatch> FolderWatches::watch(const std::string& folder, OutputChanged changed,
                                                  const std::vector<std::string>& counted) {
  State& state = *state_;
  const uint64_t id = state.next_id++;
  const int number =
      state.inotify.valid() ? ::inotify_add_watch(state.inotify.get(), folder.c_str(), kEvents) : kPolled;
  Subscriber& subscriber = state.subscribers[id];
  subscriber = {number, folder, std::move(changed)};
  subscriber.counts = number != kPolled && !counted.empty();
  for (const std::string& file : counted) {
    const int divider = subscriber.counts ? ::inotify_add_watch(state.inotify.get(), file.c_str(), IN_MODIFY) : kPolled;
    if (divider != kPolled) subscriber.dividers.push_back(divider);
  }
  state.listen();
  const bool blind = number == kPolled || (state.readable == nullptr && state.settle == 0);
  if (blind) state.subscribers[id].folder = kPolled;
  if (blind && state.poll == 0) state.poll = state.loop.at(state.loop.now() + kLook, [s = &state] { s->look(); });
  return std::make_unique<Handle>(state_, id);
}

}  // namespace muster::store
