// SPDX-License-Identifier: Apache-2.0
// Limits, cgroups and tracing rights that child processes get from the kernel.

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "core/client/doctor/facts.h"
#include "core/system/linux/cgroup_paths.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/cgroup.h"

namespace muster {
namespace {

uint64_t known(rlim_t value) { return value == RLIM_INFINITY ? UINT64_MAX : value; }

rlimit limit_of(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) limit = {RLIM_INFINITY, RLIM_INFINITY};
  return limit;
}

// The cgroup mode as an agent would find it (cgroup.h). Version 2 without the memory controller is of no use.
std::string cgroup_mode() {
  const auto second = cgroup_v2_folder();
  const std::string controllers = second ? read_small_file(*second + "/cgroup.controllers").value_or("") : "";
  if (controllers.find("memory") != std::string::npos)
    return DelegatedCgroup::find() ? "v2, writable" : "v2, read-only";
  if (cgroup_v1_folder("memory")) return "v1";
  return second ? "v2, without the memory controller" : "none";
}

std::string line_of(const std::string& path) {
  const std::string text = read_small_file(path).value_or("");
  return text.substr(0, text.find('\n'));
}

}  // namespace

LimitFacts gather_limits() {
  LimitFacts facts;
  facts.open_files_soft = known(limit_of(RLIMIT_NOFILE).rlim_cur);
  facts.open_files_hard = known(limit_of(RLIMIT_NOFILE).rlim_max);
  facts.processes_soft = known(limit_of(RLIMIT_NPROC).rlim_cur);
  facts.processes_hard = known(limit_of(RLIMIT_NPROC).rlim_max);
  facts.locked_memory_soft = known(limit_of(RLIMIT_MEMLOCK).rlim_cur);
  facts.core_soft = known(limit_of(RLIMIT_CORE).rlim_cur);
  facts.core_pattern = line_of("/proc/sys/kernel/core_pattern");
  std::error_code none;
  facts.infiniband = std::filesystem::exists("/sys/class/infiniband", none) &&
                     !std::filesystem::is_empty("/sys/class/infiniband", none) && !none;
  if (const std::string scope = line_of("/proc/sys/kernel/yama/ptrace_scope"); !scope.empty())
    facts.ptrace_scope = std::atoi(scope.c_str());
  facts.cgroup_mode = cgroup_mode();
  return facts;
}

}  // namespace muster
