// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdio>
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

bool enable_memory(const std::string& folder) {
  if (!has_word(read_small_file(folder + "/cgroup.controllers").value_or(""), "memory")) return false;
  const std::string control = folder + "/cgroup.subtree_control";
  if (has_word(read_small_file(control).value_or(""), "memory")) return true;
  if (write_file(control, "+memory")) return true;
  move_processes_to(folder, folder + "/muster");
  return write_file(control, "+memory");
}

}  // namespace

Cgroup::Cgroup(std::string folder, bool limits_memory)
    : folder_(std::move(folder)),
      fd_(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      limits_memory_(limits_memory) {
  flock(fd_.get(), LOCK_SH | LOCK_NB);
}

Cgroup::~Cgroup() { rmdir(folder_.c_str()); }

void Cgroup::kill_all() { write_file(folder_ + "/cgroup.kill", "1"); }

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
  if (!folder || !may_use(*folder)) return std::nullopt;
  return DelegatedCgroup(*folder);
}

std::unique_ptr<Cgroup> DelegatedCgroup::make(const std::string& name, uint64_t memory_limit_bytes) {
  if (name.empty() || name.find('/') != std::string::npos) return nullptr;
  const std::string first = folder_ + "/muster-" + std::to_string(getpid()) + "-" + name;
  std::string child = first;
  // A leftover of an ended attempt may still be in the cgroup of that name.
  for (int number = 2; mkdir(child.c_str(), 0755) != 0; ++number) {
    if (errno != EEXIST || number > kMostAlike) return nullptr;
    child = first + "." + std::to_string(number);
  }
  return std::make_unique<Cgroup>(child, memory_limit_bytes > 0 && limit(child, memory_limit_bytes));
}

void DelegatedCgroup::remove_left_behind() const {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    const std::string name = entry.path().filename();
    int pid = 0;
    if (std::sscanf(name.c_str(), "muster-%d-", &pid) != 1 || pid <= 0) continue;
    const bool gone = ::kill(pid, 0) != 0 && errno == ESRCH;
    if (!gone) continue;
    // In another pid namespace the agent may be alive. Then it has a lock on the folder.
    const UniqueFd folder(open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid() && flock(folder.get(), LOCK_EX | LOCK_NB) == 0) rmdir(entry.path().c_str());
  }
}

bool DelegatedCgroup::limit(const std::string& child, uint64_t memory_limit_bytes) {
  if (!has_memory_) has_memory_ = enable_memory(folder_);
  if (!*has_memory_) return false;
  // Without this the limit would only move memory to swap. The file is missing if the kernel has no swap accounting.
  write_file(child + "/memory.swap.max", "0");
  return write_file(child + "/memory.max", std::to_string(memory_limit_bytes));
}

}  // namespace muster
