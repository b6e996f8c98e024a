// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/paths.h"

#include <cstdlib>
#include <filesystem>

#include "core/base/short_hash.h"
#include "core/client/connect/state_place.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/runtime_folder.h"

namespace muster {
namespace {

const std::string kWorkerSocket = "agent-";           // followed by the pid of its guardian
const std::string kTimerPipe = "timers-";             // followed by the pid of its guardian
const std::string kWarmFolder = "warm-";              // followed by the pid of its guardian
const std::string kStandaloneSocket = "standalone-";  // followed by the pid of the command

// The readable entries of a folder. A range-based for loop would throw if the folder is removed meanwhile.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  return entries;
}

// A zombie counts as gone: in a container whose first process reaps no children, zombies remain.
bool is_gone(pid_t pid) {
  const std::optional<ProcessStat> stat = read_stat(pid);
  return !stat || stat->state == 'Z';
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
  return dialled.substr(0, dialled.rfind('/') + 1) + kWorkerSocket + std::to_string(guardian) + ".sock";
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
  return dialled.substr(0, dialled.rfind('/') + 1) + kTimerPipe + std::to_string(guardian);
}

std::string warm_folder(const std::string& dialled, int64_t guardian) {
  return dialled.substr(0, dialled.rfind('/') + 1) + kWarmFolder + std::to_string(guardian);
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
  return runtime + "/" + kStandaloneSocket + std::to_string(pid) + ".sock";
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
    for (const std::string& prefix : {kWorkerSocket, kTimerPipe, kWarmFolder, kStandaloneSocket}) {
      if (!name.starts_with(prefix)) continue;
      const pid_t owner = static_cast<pid_t>(std::strtol(name.c_str() + prefix.size(), nullptr, 10));
      if (owner > 0 && is_gone(owner)) stale.push_back(path);
    }
  }
  return stale;
}

void remove_stale_sockets(const std::string& runtime) {
  std::error_code error;
  for (const std::string& path : stale_sockets(runtime)) std::filesystem::remove_all(path, error);
}

}  // namespace muster
