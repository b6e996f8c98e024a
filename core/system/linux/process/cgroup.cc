// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/system/linux/cgroup_paths.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

bool write_file(const std::string& path, const std::string& text) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.valid() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool has_word(const std::string& text, const std::string& wanted) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

bool is_marked_delegated(const std::string& folder) {
  for (const char* name : {"trusted.delegate", "user.delegate"}) {
    char value = 0;
    if (getxattr(folder.c_str(), name, &value, 1) == 1 && value == '1') return true;
  }
  return false;
}

// True for a cgroup that is marked as delegated, and for the top cgroup that a container sees. Any other cgroup is managed by
// systemd alone (systemd.io/CGROUP_DELEGATION) and may hold the user's shell.
bool may_use(const std::string& folder) {
  struct stat info {};
  if (access(folder.c_str(), W_OK) != 0 || access((folder + "/cgroup.procs").c_str(), W_OK) != 0) return false;
  if (stat(folder.c_str(), &info) != 0) return false;
  if (geteuid() != 0 && info.st_uid != geteuid()) return false;
  struct stat above {};
  const bool is_top = stat((folder + "/../cgroup.procs").c_str(), &above) != 0;
  return is_top || is_marked_delegated(folder);
}

// The "no internal processes" rule: a cgroup can enable controllers for its children only if it holds no process itself. So all
// our processes move to a child first.
void move_processes_to(const std::string& folder, const std::string& child) {
  if (mkdir(child.c_str(), 0755) != 0 && errno != EEXIST) return;
  std::istringstream pids(read_small_file(folder + "/cgroup.procs").value_or(""));
  for (std::string pid; pids >> pid;) write_file(child + "/cgroup.procs", pid);
}

constexpr int kMostAlike = 16;
const std::string kOwnChild = "muster";

// The first part of the names of cgroups that a process makes. It identifies the process also among those of other pid namespaces,
// which may use the same cgroup file system: it has the number of its namespace and its start time.
struct Maker {
  int pid = 0;
  unsigned long long start_ticks = 0;
  unsigned long long pid_namespace = 0;
};

unsigned long long own_pid_namespace() { return std::strtoull(pid_namespace().c_str(), nullptr, 10); }

std::string own_prefix() {
  return "muster-" + std::to_string(getpid()) + "-" + std::to_string(start_ticks(getpid()).value_or(0)) + "-" +
         std::to_string(own_pid_namespace()) + "-";
}

std::optional<Maker> maker_of(const std::string& name) {
  Maker maker;
  const int fields =
      std::sscanf(name.c_str(), "muster-%d-%llu-%llu-", &maker.pid, &maker.start_ticks, &maker.pid_namespace);
  return fields == 3 ? std::optional(maker) : std::nullopt;
}

// False for a process of another pid namespace: it may be alive.
bool is_known_dead(const Maker& maker) {
  if (maker.pid_namespace != own_pid_namespace()) return false;
  const auto stat = read_stat(maker.pid);
  return !stat || stat->start_ticks != maker.start_ticks || stat->state == 'Z';
}

// cgroup.kill (Linux 5.14) ends all at once, but no process whose main thread has ended (seen with 6.18).
void kill_processes_of(const std::string& folder) {
  write_file(folder + "/cgroup.kill", "1");
  std::istringstream pids(read_small_file(folder + "/cgroup.procs").value_or(""));
  for (pid_t pid = 0; pids >> pid;) {
    if (pid > 0) ::kill(pid, SIGKILL);  // 0: of another pid namespace
  }
}

// Its processes may have made cgroups in it. True: it is removed.
bool end_cgroup(const std::filesystem::path& folder) {
  kill_processes_of(folder);
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    std::error_code unknown;
    if (each->is_directory(unknown)) end_cgroup(each->path());
  }
  return rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

bool enable_memory(const std::string& folder) {
  if (!has_word(read_small_file(folder + "/cgroup.controllers").value_or(""), "memory")) return false;
  const std::string control = folder + "/cgroup.subtree_control";
  if (has_word(read_small_file(control).value_or(""), "memory")) return true;
  if (write_file(control, "+memory")) return true;
  move_processes_to(folder, folder + "/" + kOwnChild);
  return write_file(control, "+memory");
}

}  // namespace

Cgroup::Cgroup(std::string folder, bool limits_memory)
    : folder_(std::move(folder)),
      fd_(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      limits_memory_(limits_memory) {}

Cgroup::~Cgroup() { rmdir(folder_.c_str()); }

void Cgroup::kill_all() { kill_processes_of(folder_); }

bool Cgroup::had_oom_kill() const {
  std::istringstream events(read_small_file(folder_ + "/memory.events").value_or(""));
  uint64_t count = 0;
  for (std::string name; events >> name >> count;) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

std::optional<DelegatedCgroup> DelegatedCgroup::find() {
  const auto folder = cgroup_v2_folder();
  if (!folder) return std::nullopt;
  if (may_use(*folder)) return DelegatedCgroup(*folder);
  const std::filesystem::path path(*folder);
  if (path.filename() == kOwnChild && may_use(path.parent_path())) return DelegatedCgroup(path.parent_path());
  return std::nullopt;
}

std::unique_ptr<Cgroup> DelegatedCgroup::make(const std::string& name, uint64_t memory_limit_bytes) {
  if (name.empty() || name.find('/') != std::string::npos) return nullptr;
  const std::string first = folder_ + "/" + own_prefix() + name;
  std::string child = first;
  // A leftover of an ended attempt may still be in the cgroup of that name.
  for (int number = 2; mkdir(child.c_str(), 0755) != 0; ++number) {
    if (errno != EEXIST || number > kMostAlike) return nullptr;
    child = first + "." + std::to_string(number);
  }
  return std::make_unique<Cgroup>(child, memory_limit_bytes > 0 && limit(child, memory_limit_bytes));
}

size_t DelegatedCgroup::end_left_behind() const {
  size_t left = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder_, error), end; !error && each != end; each.increment(error)) {
    const std::optional<Maker> maker = maker_of(each->path().filename());
    if (maker && is_known_dead(*maker) && !end_cgroup(each->path())) ++left;
  }
  return left;
}

bool DelegatedCgroup::limit(const std::string& child, uint64_t memory_limit_bytes) {
  if (!has_memory_) has_memory_ = enable_memory(folder_);
  if (!*has_memory_) return false;
  // Without this the limit would only move memory to swap. The file is missing if the kernel has no swap accounting.
  write_file(child + "/memory.swap.max", "0");
  return write_file(child + "/memory.max", std::to_string(memory_limit_bytes));
}

}  // namespace muster
