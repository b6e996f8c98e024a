// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/paths.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "core/base/short_hash.h"
#include "core/base/unix_socket.h"
#include "core/client/connect/state_place.h"
#include "core/client/folder_entries.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/runtime_folder.h"
#include "core/system/posix/shared_memory_notes.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

// Each is followed by a process_key().
const std::string kWorkerSocket = "agent-";           // of its guardian
const std::string kTimerPipe = "timers-";             // of its guardian
const std::string kWarmFolder = "warm-";              // of its guardian
const std::string kMpiFolder = "mpi-";                // of its guardian
const std::string kContainerFolder = "images-";       // of its guardian
const std::string kStandaloneSocket = "standalone-";  // of the command

// The process with the key that `text` begins with.
struct Owner {
  pid_t pid = 0;      // 0: it is no key
  std::string space;  // its pid namespace; "": unknown
};
Owner owner_in(const std::string& text) {
  const size_t pid_end = std::min(text.find_first_not_of("0123456789"), text.size());
  Owner owner{static_cast<pid_t>(std::strtol(text.substr(0, pid_end).c_str(), nullptr, 10)), ""};
  if (pid_end < text.size() && text[pid_end] == '-') {
    const std::string rest = text.substr(pid_end + 1);
    owner.space = rest.substr(0, rest.find_first_not_of("0123456789"));
  }
  return owner;
}

// Whether a process, in any pid namespace, listens at the socket, reads from the pipe or has locked the folder.
bool is_used(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return false;
  if (S_ISSOCK(info.st_mode)) return has_listener(path);
  if (!S_ISFIFO(info.st_mode) && !S_ISDIR(info.st_mode)) return false;
  const int flags = (S_ISFIFO(info.st_mode) ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file(open(path.c_str(), flags));
  if (S_ISFIFO(info.st_mode)) return file.valid() || errno != ENXIO;
  return file.valid() && flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// A pid alone proves nothing: in another pid namespace it is another process. In ours, a living process may be about to use the file.
bool is_stale(const std::string& path, const Owner& owner) {
  if (owner.pid <= 0) return false;
  const bool here = owner.space.empty() || owner.space == pid_namespace();
  return (!here || has_ended(owner.pid)) && !is_used(path);
}

// CACHE, if this program is a copy that muster made on a host (CACHE/bin/HASH/muster); else empty.
std::string cache_of_copy(const CallerContext& caller) {
  const std::filesystem::path builds = std::filesystem::path(caller.program).parent_path().parent_path();
  const std::filesystem::path cache = builds.parent_path();
  return builds.filename() == "bin" && cache.filename().string().starts_with("muster") ? cache.string() : "";
}

}  // namespace

std::string state_folder(const CallerContext& caller) {
  const Result<StatePlace> place = state_place(caller);
  if (!place.ok() || (place->for_others && !make_private_folder(place->path).ok())) return "";
  return place->path;
}

Result<WirePaths> wire_paths(const CallerContext& caller) {
  const Result<StatePlace> state = state_place(caller);
  if (!state.ok()) return state.status();
  const Result<std::string> runtime = runtime_folder();
  if (!runtime.ok()) return runtime.status();
  if (state->for_others) {
    if (const Status made = make_private_folder(state->path); !made.ok()) return made;
  }
  // One controller per state folder: a user with two state folders has two controllers.
  return WirePaths{state->path, *runtime, *runtime + "/" + short_hash(state->path) + ".sock"};
}

std::string worker_socket_path(const std::string& dialled, int64_t guardian) {
  return dialled.substr(0, dialled.rfind('/') + 1) + kWorkerSocket + process_key(guardian) + ".sock";
}

void remove_worker_sockets(const std::string& dialled, int64_t guardian) {
  const std::filesystem::path own = worker_socket_path(dialled, guardian);
  std::error_code error;
  for (const std::filesystem::path& path : entries_of(own.parent_path())) {
    const std::string name = path.filename();
    if (name.starts_with(own.stem().string() + "-") || name == own.filename()) std::filesystem::remove(path, error);
  }
}

std::string timer_pipe_path(const std::string& dialled, int64_t guardian) {
  return dialled.substr(0, dialled.rfind('/') + 1) + kTimerPipe + process_key(guardian);
}

std::string warm_folder(const std::string& dialled, int64_t guardian) {
  return dialled.substr(0, dialled.rfind('/') + 1) + kWarmFolder + process_key(guardian);
}

std::string container_folder(const std::string& dialled, int64_t guardian) {
  return dialled.substr(0, dialled.rfind('/') + 1) + kContainerFolder + process_key(guardian);
}

std::string mpi_folder(const std::string& dialled, int64_t guardian) {
  return dialled.substr(0, dialled.rfind('/') + 1) + kMpiFolder + process_key(guardian);
}

std::string mpi_shared_folder(const std::string& folder) {
  return "/dev/shm/muster-" + std::to_string(geteuid()) + "-" + folder.substr(folder.rfind('/') + 1);
}

std::string lessons_folder(const CallerContext& caller) {
  const std::string cache = cache_of_copy(caller);
  const std::string folder = cache.empty() ? state_folder(caller) : cache;
  return folder.empty() ? "" : folder + "/imports";
}

std::string code_archives(const CallerContext& caller) { return state_folder(caller) + "/trees"; }

std::string packed_programs(const CallerContext& caller) { return state_folder(caller) + "/packed"; }

std::string host_folder(const CallerContext& caller) {
  if (const std::string cache = cache_of_copy(caller); !cache.empty()) return cache;
  const std::string state = state_folder(caller);
  return state.empty() ? "" : state + "/host";
}

std::string standalone_socket_path(const std::string& runtime, int64_t pid) {
  return runtime + "/" + kStandaloneSocket + process_key(pid) + ".sock";
}

std::vector<std::string> standalone_sockets(const std::string& runtime) {
  std::vector<std::string> sockets;
  for (const std::filesystem::path& path : entries_of(runtime)) {
    if (path.filename().string().starts_with(kStandaloneSocket)) sockets.push_back(path);
  }
  return sockets;
}

std::vector<std::string> stale_sockets(const std::string& runtime) {
  std::vector<std::string> stale;
  for (const std::filesystem::path& path : entries_of(runtime)) {
    const std::string name = path.filename();
    for (const std::string& prefix :
         {kWorkerSocket, kTimerPipe, kWarmFolder, kMpiFolder, kContainerFolder, kStandaloneSocket}) {
      if (!name.starts_with(prefix)) continue;
      if (is_stale(path, owner_in(name.substr(prefix.size())))) stale.push_back(path);
    }
  }
  return stale;
}

void remove_stale_sockets(const std::string& runtime) {
  std::error_code error;
  for (const std::string& path : stale_sockets(runtime)) {
    if (path.substr(path.rfind('/') + 1).starts_with(kMpiFolder))
      std::filesystem::remove_all(mpi_shared_folder(path), error);
    remove_with_shared_memory(path);
  }
}

}  // namespace muster
