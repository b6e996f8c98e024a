// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <sstream>

#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

std::optional<pid_t> parse_pid(const std::string& text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return pid;
}

// The entries of a folder whose names are numbers.
std::vector<pid_t> numbers_in(const char* path) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path), closedir);
  if (!folder) return numbers;
  while (const dirent* entry = readdir(folder.get())) {
    if (const auto number = parse_pid(entry->d_name)) numbers.push_back(*number);
  }
  return numbers;
}

// The kernel lists a child under the thread that made it; an orphan goes to any thread of the subreaper.
std::vector<pid_t> own_children_by_thread() {
  std::vector<pid_t> children;
  for (const pid_t thread : numbers_in("/proc/self/task")) {
    const auto text = read_small_file("/proc/self/task/" + std::to_string(thread) + "/children");
    std::istringstream words(text.value_or(""));
    for (pid_t child = 0; words >> child;) children.push_back(child);
  }
  return children;
}

std::optional<ProcessStat> stat_in(const std::string& folder) {
  const auto text = read_proc_line(folder + "/stat");
  return text ? parse_stat(*text) : std::nullopt;
}

// Of a process whose main thread has ended.
std::optional<std::string> folder_of_running_thread(pid_t pid) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task/";
  for (const pid_t thread : threads_of(pid)) {
    std::string folder = tasks + std::to_string(thread);
    const auto stat = stat_in(folder);
    if (stat && stat->state != 'Z') return folder;
  }
  return std::nullopt;
}

// "pipe:[INODE]" if the descriptor is a pipe; empty if it is not, or may not be read.
std::string pipe_at(pid_t pid, int fd) {
  char target[64];
  const std::string link = process_folder(pid) + "/fd/" + std::to_string(fd);
  const ssize_t size = readlink(link.c_str(), target, sizeof target);
  const std::string text(target, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  return text.starts_with("pipe:") ? text : "";
}

}  // namespace

std::optional<std::string> read_small_file(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(file.get(), buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(got));
  if (got < 0) return std::nullopt;
  return text;
}

std::optional<std::string> read_proc_line(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  const ssize_t got = file.valid() ? read(file.get(), buffer, sizeof buffer) : -1;
  if (got < 0) return std::nullopt;
  return std::string(buffer, static_cast<size_t>(got));
}

std::string process_folder(pid_t pid) {
  std::string folder = "/proc/" + std::to_string(pid);
  const auto leader = stat_in(folder);
  const bool only_thread = !leader || leader->state != 'Z' || leader->threads <= 1;
  return only_thread ? folder : folder_of_running_thread(pid).value_or(folder);
}

bool reads_output_of(pid_t reader, const std::vector<pid_t>& writers) {
  const std::string input = pipe_at(reader, STDIN_FILENO);
  if (input.empty()) return false;
  return std::any_of(writers.begin(), writers.end(), [&](pid_t writer) {
    return writer != reader && (pipe_at(writer, STDOUT_FILENO) == input || pipe_at(writer, STDERR_FILENO) == input);
  });
}

std::map<std::string, std::string> read_environment(pid_t pid) {
  std::map<std::string, std::string> environment;
  std::istringstream entries(read_small_file(process_folder(pid) + "/environ").value_or(""));
  for (std::string entry; std::getline(entries, entry, '\0');) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos) environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

int64_t own_number(pid_t pid) {
  const std::string status = read_small_file("/proc/" + std::to_string(pid) + "/status").value_or("");
  const size_t at = status.find("NSpid:");
  if (at == std::string::npos) return pid;
  std::istringstream numbers(status.substr(at + 6, status.find('\n', at) - at - 6));
  int64_t innermost = pid;
  for (int64_t number = 0; numbers >> number;) innermost = number;
  return innermost;
}

// The command is enclosed in brackets and may itself contain brackets and blanks: the last bracket ends it.
std::optional<ProcessStat> parse_stat(const std::string& text) {
  const size_t open = text.find(" (");
  const size_t close = text.rfind(") ");
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  ProcessStat stat;
  stat.pid = parse_pid(text.substr(0, open)).value_or(0);
  stat.command = text.substr(open + 2, close - open - 2);
  std::istringstream rest(text.substr(close + 2));
  std::string skipped;
  rest >> stat.state >> stat.parent >> stat.group >> stat.session;
  for (int field = 7; field < 14; ++field) rest >> skipped;
  for (int field = 14; field < 18; ++field) {
    uint64_t ticks = 0;
    rest >> ticks;
    stat.cpu_ticks += ticks;
  }
  rest >> skipped >> skipped >> stat.threads >> skipped;
  rest >> stat.start_ticks >> skipped >> stat.rss_pages;
  if (!rest) return std::nullopt;
  return stat;
}

std::optional<ProcessStat> read_stat(pid_t pid) {
  auto stat = stat_in("/proc/" + std::to_string(pid));
  if (!stat || stat->state != 'Z' || stat->threads <= 1) return stat;
  const auto folder = folder_of_running_thread(pid);
  const auto thread = folder ? stat_in(*folder) : std::nullopt;
  if (!thread) return stat;
  stat->state = thread->state;
  stat->rss_pages = thread->rss_pages;
  return stat;
}

std::optional<uint64_t> start_ticks(pid_t pid) {
  const auto stat = read_stat(pid);
  if (!stat) return std::nullopt;
  return stat->start_ticks;
}

bool has_ended(pid_t pid) {
  const auto stat = read_stat(pid);
  return !stat || stat->state == 'Z';
}

std::string pid_namespace() {
  struct stat info {};
  return stat("/proc/self/ns/pid", &info) == 0 ? std::to_string(info.st_ino) : "";
}

std::string process_key(int64_t pid) {
  const std::string space = pid_namespace();
  return std::to_string(pid) + (space.empty() ? "" : "-" + space);
}

std::vector<pid_t> all_processes() { return numbers_in("/proc"); }

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads = numbers_in(("/proc/" + std::to_string(pid) + "/task").c_str());
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::optional<std::vector<pid_t>> children_of_thread(pid_t pid, pid_t thread) {
  const auto text = read_small_file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/children");
  if (!text) return std::nullopt;
  std::vector<pid_t> children;
  std::istringstream words(*text);
  for (pid_t child = 0; words >> child;) children.push_back(child);
  return children;
}

// The kernel lists a child under the thread that made it; an orphan goes to any thread of the subreaper.
std::vector<pid_t> own_children() {
  static const bool known = access("/proc/thread-self/children", R_OK) == 0;
  return known ? own_children_by_thread() : own_children_by_scan();
}

std::vector<pid_t> own_children_by_scan() {
  std::vector<pid_t> children;
  for (const pid_t pid : all_processes()) {
    const auto stat = read_stat(pid);
    if (stat && stat->parent == getpid()) children.push_back(pid);
  }
  return children;
}

}  // namespace muster
