// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/fix.h"

#include <sys/stat.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/client/connect/connect.h"
#include "core/client/connect/paths.h"
#include "core/client/doctor/parse.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/linux/shared_folder.h"
#include "launcher/cli/command_line.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::string remove_line(std::vector<std::string> paths) {
  paths.insert(paths.begin(), {"rm", "-rf"});
  return shell_line(paths);
}

std::string command_of(const DoctorFacts& facts, Fix fix) {
  const std::string& state = facts.storage.state_folder;
  switch (fix) {
    case Fix::none: return "";
    case Fix::make_state: return shell_line({"mkdir", "-p", "-m", "700", state});
    case Fix::close_state: return shell_line({"chmod", "go-w", state});
    case Fix::remove_sockets: return remove_line(facts.own.stale_sockets);
    case Fix::remove_leases: return remove_line(facts.own.dead_leases);
    case Fix::end_controller: return "kill " + facts.own.controller_pid;
  }
  return "";
}

Status make_state(const std::string& folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return Status();
  return errno_status(errno, folder);
}

Status close_state(const std::string& folder) {
  std::error_code error;
  fs::permissions(folder, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove, error);
  return error ? errno_status(error.value(), folder) : Status();
}

// Locks each lease to remove it, so a lease that was taken meanwhile stays.
Status remove_leases(const std::vector<std::string>& paths) {
  const auto folder = SharedFolder::open(leases_folder);
  if (!folder.ok()) return folder.status();
  for (const std::string& path : paths) {
    const auto lock = (*folder)->try_lock(fs::path(path).filename().string());
    if (!lock.ok()) return lock.status();
  }
  return Status();
}

// The controller refuses if it has a live job.
Status end_controller(const CallerContext& caller) {
  AsioLoop loop;
  const auto client = connect_controller(caller, loop, false);
  return client.ok() ? (*client)->shutdown(false) : Status();
}

}  // namespace

std::vector<Repair> repairs(const DoctorFacts& facts, const std::vector<Finding>& findings) {
  std::vector<Repair> found;
  for (const Finding& finding : findings) {
    if (finding.fix != Fix::none) found.push_back({finding.fix, command_of(facts, finding.fix)});
  }
  return found;
}

std::vector<std::string> left_to_hands(const std::vector<Finding>& findings) {
  std::vector<std::string> found;
  for (const Finding& finding : findings) {
    if (finding.level != Finding::Level::ok && finding.fix == Fix::none && !finding.mend.empty())
      found.push_back(finding.subject + ": " + finding.mend);
  }
  return found;
}

Status repair(const CallerContext& caller, const DoctorFacts& facts, Fix fix) {
  switch (fix) {
    case Fix::none: return Status();
    case Fix::make_state: return make_state(facts.storage.state_folder);
    case Fix::close_state: return close_state(facts.storage.state_folder);
    case Fix::remove_sockets: remove_stale_sockets(facts.own.runtime_folder); return Status();
    case Fix::remove_leases: return remove_leases(facts.own.dead_leases);
    case Fix::end_controller: return end_controller(caller);
  }
  return Status();
}

}  // namespace muster
