// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/relay/link_place.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <vector>

#include "core/base/text.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

constexpr size_t kJobLength = 26;
constexpr size_t kTextLength = 64;
constexpr int kTries = 200;
constexpr int kTryEveryMs = 10;
constexpr time_t kYoung = 60;  // seconds: the relay of a new link may not hold its lock yet

std::optional<int64_t> number_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_plain(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string_view::npos;
}

struct flock whole_file() {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

// Asks for the holder again before the signal: its pid may belong to another process by now.
void end_holder(int file, int signal) {
  struct flock holder = whole_file();
  if (fcntl(file, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK && holder.l_pid > 0) kill(holder.l_pid, signal);
}

// The text always has the same length: only the first write needs disk space, and no write can leave the file empty.
bool write_over(int file, std::string text) {
  text.resize(kTextLength, ' ');
  return pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

LinkPlace place_of(const std::filesystem::path& socket) {
  return {socket.parent_path(), socket.stem().string().substr(5)};
}

// Finds an agent that still has its lock file open after a cleaner of /tmp removed the file. Returns the path of its stdin in /proc,
// which opens that same file.
std::optional<std::string> stdin_of_agent(const LinkPlace& place) {
  using namespace std::string_literals;
  const std::string called = "\0agent\0--socket\0"s + place.socket() + "\0"s;
  for (const pid_t each : all_processes()) {
    const std::string process = "/proc/" + std::to_string(each);
    std::error_code error;
    struct stat info {};
    if (stat(process.c_str(), &info) != 0 || info.st_uid != geteuid()) continue;
    if (!read_small_file(process + "/cmdline").value_or("").ends_with(called)) continue;
    if (std::filesystem::read_symlink(process + "/fd/0", error) == place.lock() + " (deleted)")
      return process + "/fd/0";
  }
  return std::nullopt;
}

// Whether the guardian of a lock file has started. Then the first word is its pid, or "ended" if it was killed while it left.
bool guardian_has_started(int file) {
  std::array<char, kTextLength> text{};
  const ssize_t length = pread(file, text.data(), text.size(), 0);
  const std::string_view all(text.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
  const std::string_view word = all.substr(0, all.find(' '));
  return word == "ended" || number_of(word);
}

bool is_free(int file) {
  if (flock(file, LOCK_EX | LOCK_NB) != 0) return false;
  flock(file, LOCK_UN);
  return true;
}

}  // namespace

std::optional<LinkTag> parse_link_tag(const std::string& text) {
  const std::vector<std::string> parts = split(text, '-');
  if (parts.size() != 3 || parts[0].size() != kJobLength || parts[2].size() > kJobLength) return std::nullopt;
  const Result<JobId> job = JobId::parse(parts[0]);
  const std::optional<int64_t> node = number_of(parts[1]);
  if (!job.ok() || !node || *node < 0 || *node > UINT32_MAX || !is_plain(parts[2])) return std::nullopt;
  return LinkTag{*job, static_cast<NodeIndex>(*node), text};
}

void LinkPlace::remove() const {
  for (const std::string& path : {socket(), relay(), lock()}) unlink(path.c_str());
}

Result<std::optional<AgentLock>> AgentLock::open(const LinkPlace& place, bool make) {
  const std::string path = place.lock();
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() && errno == ENOENT) {
    if (const auto theirs = stdin_of_agent(place)) file = UniqueFd(::open(theirs->c_str(), O_RDWR | O_CLOEXEC));
    if (file.valid()) return std::optional<AgentLock>(AgentLock(std::move(file), path));
    if (!make) return std::optional<AgentLock>();
    file = UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT, 0600));
  }
  if (!file.valid()) return errno_status(errno, "open " + path);
  return std::optional<AgentLock>(AgentLock(std::move(file), path));
}

bool AgentLock::held() const { return !is_free(file_.get()); }

UniqueFd AgentLock::take() const {
  // A new open file description: flock(2) on ours would hold the lock as long as this process runs.
  UniqueFd theirs(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!theirs.valid() || flock(theirs.get(), LOCK_EX | LOCK_NB) != 0) return UniqueFd();
  return theirs;
}

Status AgentLock::reserve() const {
  return write_over(file_.get(), "") ? Status() : errno_status(errno, "write " + path_);
}

std::string AgentLock::text() const {
  std::array<char, kTextLength> text{};
  const ssize_t length = pread(file_.get(), text.data(), text.size(), 0);
  const std::string_view all(text.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
  return std::string(all.substr(0, all.find_last_not_of(' ') + 1));
}

pid_t AgentLock::guardian() const {
  const std::vector<std::string> words = split(text(), ' ');
  const auto pid = number_of(words.front());
  const auto ticks = words.size() == 2 ? number_of(words[1]) : std::nullopt;
  if (!pid || !ticks || *pid <= 1 || start_ticks(static_cast<pid_t>(*pid)) != static_cast<uint64_t>(*ticks)) return 0;
  return static_cast<pid_t>(*pid);
}

std::optional<int> AgentLock::end() const {
  struct stat info {};
  if (fstat(file_.get(), &info) != 0 || info.st_nlink > 0) return std::nullopt;
  const std::vector<std::string> words = split(text(), ' ');
  const auto code = words.size() == 2 && words[0] == "ended" ? number_of(words[1]) : std::nullopt;
  return code ? std::optional(static_cast<int>(*code)) : std::nullopt;
}

Result<RelayCharge> RelayCharge::take(const LinkPlace& place) {
  const std::string path = place.relay();
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return errno_status(errno, "open " + path);
  for (int tries = 0; tries < kTries; ++tries) {
    struct flock range = whole_file();
    if (fcntl(file.get(), F_SETLK, &range) == 0) return RelayCharge(std::move(file));
    // It may hang on a dead connection. A stopped process reacts only to SIGKILL.
    end_holder(file.get(), tries < kTries / 2 ? SIGTERM : SIGKILL);
    poll(nullptr, 0, kTryEveryMs);
  }
  return Status(Code::unavailable, "the previous relay of this agent does not end");
}

bool another_lives(const std::string& folder, const LinkTag& tag) {
  const std::string alike = "link-" + tag.job.text() + "-" + std::to_string(tag.node) + "-";
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    const std::string stem = each->path().stem();
    if (each->path().extension() != ".lock" || !stem.starts_with(alike) || stem == "link-" + tag.text) continue;
    const auto lock = AgentLock::open(LinkPlace(folder, stem.substr(std::string("link-").size())), false);
    if (lock.ok() && *lock && (*lock)->held()) return true;
  }
  return false;
}

bool is_link(const std::string& socket) { return std::filesystem::path(socket).stem().string().starts_with("link-"); }

void enter_link_place(const std::string& socket) {
  const pid_t self = getpid();
  if (is_link(socket))
    write_over(STDIN_FILENO, std::to_string(self) + " " + std::to_string(start_ticks(self).value_or(0)));
}

void refresh_link_place(const std::string& socket) {
  if (!is_link(socket)) return;
  const LinkPlace place = place_of(socket);
  for (const std::string& path :
       {std::filesystem::path(socket).parent_path().string(), socket, place.lock(), place.relay()})
    utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

void leave_link_place(const std::string& socket, int code) {
  if (!is_link(socket)) return;
  write_over(STDIN_FILENO, "ended " + std::to_string(code));
  place_of(socket).remove();
}

void remove_dead_links(const std::string& folder, bool young) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::filesystem::path path = at->path();
    const std::string stem = path.stem();
    if (!stem.starts_with("link-") || path.extension() != ".lock") continue;
    const UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    struct stat info {};
    const bool old = file.valid() && fstat(file.get(), &info) == 0 && time(nullptr) - info.st_mtime > kYoung;
    const bool begun = young && file.valid() && guardian_has_started(file.get());
    if ((old || begun) && is_free(file.get())) LinkPlace(folder, stem.substr(5)).remove();
  }
}

}  // namespace muster
