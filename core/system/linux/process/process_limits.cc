// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/process_limits.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/system/hwloc/cpu_topology.h"

namespace muster {
namespace {

static_assert(RLIM_INFINITY == ProcessSettings::kUnlimited);

struct Named {
  const char* name;
  __rlimit_resource resource;
};

constexpr uint32_t kMostCpus = 8192;  // CONFIG_NR_CPUS of distributions

// The limits of ulimit that affect programs. Limits of real-time scheduling, signals and message queues stay those of the controller.
constexpr Named kLimits[] = {{"as", RLIMIT_AS},         {"core", RLIMIT_CORE},   {"cpu", RLIMIT_CPU},
                             {"data", RLIMIT_DATA},     {"fsize", RLIMIT_FSIZE}, {"memlock", RLIMIT_MEMLOCK},
                             {"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC}, {"stack", RLIMIT_STACK}};

std::vector<uint32_t> ignored_signals() {
  std::vector<uint32_t> ignored;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now {};
    if (number == SIGPIPE || number == SIGXFSZ || sigaction(number, nullptr, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_IGN) ignored.push_back(static_cast<uint32_t>(number));
  }
  return ignored;
}

}  // namespace

ProcessSettings own_settings() {
  ProcessSettings settings;
  const mode_t mask = umask(0077);
  umask(mask);
  settings.umask = mask;
  for (const Named& each : kLimits) {
    rlimit limit{};
    if (getrlimit(each.resource, &limit) == 0) settings.soft_limits[each.name] = limit.rlim_cur;
  }
  settings.cpus = affinity_cpus();
  settings.nice = getpriority(PRIO_PROCESS, 0);
  settings.ignored_signals = ignored_signals();
  return settings;
}

std::map<std::string, uint64_t> own_means() {
  std::map<std::string, uint64_t> means;
  for (const Named& each : kLimits) {
    rlimit limit{};
    if (getrlimit(each.resource, &limit) == 0) means[each.name] = limit.rlim_max;
  }
  means["priority"] = static_cast<uint64_t>(20 - getpriority(PRIO_PROCESS, 0));
  return means;
}

void use_all_cpus() {
  const std::vector<unsigned char> all(kMostCpus / 8, 0xff);
  sched_setaffinity(0, all.size(), reinterpret_cast<const cpu_set_t*>(all.data()));
}

std::vector<ProcessLimit> limits_of_child(const ProcessSettings& settings, rlim_t open_files) {
  std::map<std::string, uint64_t> wanted = settings.soft_limits;
  wanted.try_emplace("nofile", open_files);
  std::vector<ProcessLimit> limits;
  for (const Named& each : kLimits) {
    const auto found = wanted.find(each.name);
    rlimit now{};
    if (found == wanted.end() || getrlimit(each.resource, &now) != 0) continue;
    const rlimit value{std::min<rlim_t>(found->second, now.rlim_max), now.rlim_max};
    if (value.rlim_cur != now.rlim_cur) limits.push_back({each.resource, value});
  }
  return limits;
}

}  // namespace muster
