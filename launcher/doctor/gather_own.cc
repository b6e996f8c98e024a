// SPDX-License-Identifier: Apache-2.0
// Facts about muster itself: its controller, its sockets, and files that dead processes left behind.

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>

#include "core/client/connect/connect.h"
#include "core/client/connect/paths.h"
#include "core/client/doctor/parse.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/runtime_folder.h"
#include "core/system/linux/shared_folder.h"
#include "core/system/store/state_lock.h"
#include "launcher/composition/controller_settings.h"
#include "launcher/composition/hosting.h"
#include "launcher/composition/wire.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

void gather_controller(const CallerContext& caller, OwnFacts& facts) {
  AsioLoop loop;
  const auto client = connect_controller(caller, loop, false);
  facts.listens = client.ok();
  if (!facts.listens) return;
  facts.controller_pid = lock_holder(state_folder(caller));
  const auto info = (*client)->info();
  if (!info.ok()) return;
  facts.controller_pid = std::to_string(info->pid);
  facts.controller_version = info->version;
  facts.live_jobs = info->live_jobs;
  facts.other_build = info->binary_hash != binary_hash(caller);
  for (const auto& [name, ours] : caller.means) {
    const auto theirs = info->means.find(name);
    if (theirs != info->means.end() && theirs->second < ours) facts.poorer.push_back(name);
  }
}

// Reads /proc/locks, because a job could need a lease at the moment in which its file is tried. Locks of other pid namespaces are not
// in there, so the files that are left are tried all the same.
std::vector<std::string> dead_leases() {
  std::vector<std::string> dead;
  const auto locks = read_small_file("/proc/locks");
  if (!locks || access(leases_folder, F_OK) != 0) return dead;
  const auto folder = SharedFolder::open(leases_folder);
  if (!folder.ok()) return dead;
  const std::vector<uint64_t> held = locked_inodes(*locks);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(leases_folder, error)) {
    struct stat file {};
    const bool ours = lstat(entry.path().c_str(), &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid();
    const bool known = std::find(held.begin(), held.end(), file.st_ino) != held.end();
    if (ours && !known && !(*folder)->is_locked(entry.path().filename())) dead.push_back(entry.path().string());
  }
  std::sort(dead.begin(), dead.end());
  return dead;
}

}  // namespace

OwnFacts gather_own(const CallerContext& caller) {
  OwnFacts facts;
  facts.version = caller.version;
  facts.program = caller.program;
  if (const Result<std::string> folder = runtime_folder(); folder.ok()) {
    facts.runtime_folder = *folder;
    facts.stale_sockets = stale_sockets(*folder);
  } else {
    facts.runtime_problem = folder.status().message();
  }
  facts.dead_leases = dead_leases();
  facts.settings_problem = controller_settings(caller).status().message();
  gather_controller(caller, facts);
  return facts;
}

// The interpreter takes longest and is independent, so it is asked in parallel. gather_machine() changes the environment, so only one
// thread may run it.
DoctorFacts gather_facts(const CallerContext& caller, const std::string& python) {
  DoctorFacts facts;
  auto asked = std::async(std::launch::async, [&] { return gather_python(caller, python); });
  gather_machine(caller, facts.machine, facts.gpus);
  facts.limits = gather_limits();
  facts.storage = gather_storage(caller);
  facts.network = gather_network(caller);
  facts.own = gather_own(caller);
  facts.python = asked.get();
  return facts;
}

}  // namespace muster
