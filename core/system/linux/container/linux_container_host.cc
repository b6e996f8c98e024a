// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/container/linux_container_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/system/linux/container/container_run.h"
#include "core/system/linux/pidfd.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/spawn.h"
#include "core/system/linux/user_names.h"
#include "core/system/posix/private_text.h"
#include "core/system/posix/program_search.h"
#include "core/system/posix/unique_fd.h"
#include "core/system/posix/write_failure.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr int kRemovalMs = 20'000;

class Opened final : public ContainerEntry {
 public:
  Opened(UniqueFd mount_namespace, UniqueFd user_namespace)
      : mounts_(std::move(mount_namespace)),
        users_(std::move(user_namespace)) {
    mounts = mounts_.get();
    users = users_.get();
  }

 private:
  const UniqueFd mounts_;
  const UniqueFd users_;
};

std::string value_in(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// A specification of devices: *.yaml or *.json (Container Device Interface).
bool has_cdi(const std::string& folder) {
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(folder, ignored)) {
    const std::string ending = each.path().extension().string();
    if (ending == ".yaml" || ending == ".json") return true;
  }
  return false;
}

bool is_same_namespace(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_ino == second.st_ino &&
         first.st_dev == second.st_dev;
}

// Whether the process is the shell that keeps a container open, and its mount namespace is not ours.
bool keeps_container(const std::string& process, const std::string& mark) {
  std::vector<std::string> words = split(read_small_file(process + "/cmdline").value_or(""), '\0');
  while (!words.empty() && words.back().empty()) words.pop_back();
  return words.size() > 1 && words.front().ends_with("sh") && words.back() == mark && is_there(process + "/ns/mnt") &&
         !is_same_namespace(process + "/ns/mnt", "/proc/self/ns/mnt");
}

// Also if it is a zombie.
bool has_ended(const UniqueFd& pidfd) {
  pollfd ended{pidfd.get(), POLLIN, 0};
  return poll(&ended, 1, 0) != 0;
}

// Joins in a child process, because the namespaces of this process must stay. Only the kernel knows all conditions.
Status try_to_join(const UniqueFd& mounts, const UniqueFd& users) {
  const pid_t child = fork();
  if (child < 0) return errno_status(errno, "fork");
  if (child == 0) {
    if (users.valid() && setns(users.get(), CLONE_NEWUSER) != 0) _exit(errno);
    _exit(setns(mounts.get(), CLONE_NEWNS) == 0 ? 0 : errno);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno_status(errno, "waitpid");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status();
  return errno_status(WIFEXITED(status) ? WEXITSTATUS(status) : EPERM, "setns");
}

// Of the user's variables, those that the removal of a container needs. The others may hold secrets.
bool is_for_removal(const std::string& name) {
  return name == "PATH" || name == "HOME" || name == "TMPDIR" || name.starts_with("XDG_") ||
         name.starts_with("CONTAINERS_") || name.starts_with("DOCKER_");
}

UniqueFd open_namespace(const std::string& path) { return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }

// The words of a removal, then an empty word, then its environment.
std::string removal_text(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment) {
  std::string text;
  for (const std::string& word : argv) text += word + '\0';
  text += '\0';
  for (const auto& [name, value] : environment) {
    if (is_for_removal(name)) text += name + "=" + value + '\0';
  }
  return text;
}

void wait_or_kill(pid_t pid) {
  const UniqueFd pidfd = open_pidfd(pid);
  pollfd ended{pidfd.get(), POLLIN, 0};
  if (!pidfd.valid() || poll(&ended, 1, kRemovalMs) != 1) kill(-pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

void run_removal(const std::string& text) {
  SpawnRequest request;
  std::vector<std::string>* words = &request.argv;
  for (const std::string& word : split(text, '\0')) {
    if (word.empty()) {
      words = &request.environment;
    } else {
      words->push_back(word);
    }
  }
  if (request.argv.empty()) return;
  request.workdir = "/";
  request.stdout_path = request.stderr_path = "/dev/null";
  request.own_session = true;
  request.dies_with_us = false;
  SpawnSetting setting;
  getrlimit(RLIMIT_NOFILE, &setting.open_files);
  if (const auto spawned = spawn_process(request, setting); spawned.ok())
    wait_or_kill(static_cast<pid_t>(spawned->identity.pid));
}

}  // namespace

ContainerPlace LinuxContainerHost::place(const std::map<std::string, std::string>& environment) {
  ContainerPlace place;
  place.user = geteuid();
  place.group = getegid();
  place.user_name = value_in(environment, "USER");
  if (place.user_name.empty()) place.user_name = UserNames().name(place.user);
  const std::string home = value_in(environment, "HOME");
  if (home.starts_with('/') && home != "/" && is_there(home)) place.home = home;
  const std::string cache = value_in(environment, "XDG_CACHE_HOME");
  place.cache = (cache.starts_with('/') ? cache : place.home + "/.cache") + "/muster/images";
  for (const std::string& folder : shared_) {
    if (!folder.empty() && is_there(folder)) place.folders.push_back(folder);
  }
  for (const char* device : {"/dev/infiniband", "/dev/kfd", "/dev/dri"}) {
    if (is_there(device)) place.devices.emplace_back(device);
  }
  place.nvidia = is_there("/dev/nvidiactl");
  place.cdi = has_cdi("/etc/cdi") || has_cdi("/var/run/cdi");
  return place;
}

std::string LinuxContainerHost::find(const std::string& program,
                                     const std::map<std::string, std::string>& environment) {
  const std::string path = value_in(environment, "PATH");
  return find_executable(program, path.empty() ? search_path({}) : path, "/");
}

Result<std::unique_ptr<ContainerRun>> LinuxContainerHost::run(const std::vector<std::string>& argv,
                                                              const std::map<std::string, std::string>& environment,
                                                              ContainerRunEvents events) {
  return LinuxContainerRun::start(loop_, argv, environment, std::move(events));
}

Status LinuxContainerHost::write_file(const std::string& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.substr(0, path.rfind('/')), error);
  if (error) return errno_status(error.value(), "cannot make the folder of " + path);
  return write_private_file(path, text, text.starts_with("#!") ? 0700 : 0600);
}

Result<OpenedContainer> LinuxContainerHost::open(int64_t pid, const std::string& mark) {
  const std::string process = "/proc/" + std::to_string(pid);
  // While the pidfd shows that the process runs, its number is not that of another one.
  const UniqueFd pidfd = open_pidfd(static_cast<pid_t>(pid));
  if (!pidfd.valid() || !keeps_container(process, mark))
    return Status(Code::failed_precondition,
                  "its process " + std::to_string(pid) +
                      " is not on this machine, so the program runs containers on another machine or in a virtual "
                      "machine. Unset DOCKER_HOST and CONTAINER_HOST, or set in_image.program to another program");
  UniqueFd mounts = open_namespace(process + "/ns/mnt");
  if (!mounts.valid()) return errno_status(errno, "its mount namespace (process " + std::to_string(pid) + ")");
  UniqueFd users;
  if (!is_same_namespace(process + "/ns/user", "/proc/self/ns/user")) {
    users = open_namespace(process + "/ns/user");
    if (!users.valid()) return errno_status(errno, "its user namespace (process " + std::to_string(pid) + ")");
  }
  OpenedContainer opened;
  opened.environment = read_environment(static_cast<pid_t>(pid));
  if (has_ended(pidfd)) return Status(Code::failed_precondition, "it ended at once");
  if (const Status joined = try_to_join(mounts, users); !joined.ok()) return joined;
  opened.entry = std::make_shared<Opened>(std::move(mounts), std::move(users));
  return opened;
}

Status LinuxContainerHost::remember(const std::string& name, const std::vector<std::string>& removal,
                                    const std::map<std::string, std::string>& environment) {
  std::error_code error;
  fs::create_directories(folder_, error);
  fs::permissions(folder_, fs::perms::owner_all, error);
  const std::string path = folder_ + "/" + name;
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const std::string text = removal_text(removal, environment);
  const bool written = file.valid() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return written ? Status() : write_failure(errno, folder_);
}

void LinuxContainerHost::forget(const std::string& name) {
  unlink((folder_ + "/" + name).c_str());
  rmdir(folder_.c_str());  // only if no other container is remembered there
}

void remove_left_containers(const std::string& folder) {
  std::error_code ignored;
  std::vector<std::string> left;
  for (const auto& each : fs::directory_iterator(folder, ignored)) left.push_back(each.path().string());
  for (const std::string& path : left) run_removal(read_small_file(path).value_or(""));
  fs::remove_all(folder, ignored);
}

}  // namespace muster
