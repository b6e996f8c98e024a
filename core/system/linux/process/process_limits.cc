// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/process_limits.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <climits>

#include "core/system/hwloc/cpu_topology.h"
#include "core/system/posix/ignored_signals.h"

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

constexpr rlim_t kFewestFiles = 64;
constexpr rlim_t kLeastMemory = rlim_t{150} << 20;
constexpr rlim_t kSmallestFile = rlim_t{1} << 20;
constexpr size_t kFewestThreads = 32;

rlim_t soft_limit(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

Status too_low(const std::string& what, const std::string& least, const std::string& flag, const std::string& enough) {
  return Status(Code::resource_exhausted, "the limit of " + what + " is too low: muster needs " + least +
                                              ". Raise it: ulimit " + flag + " " + enough +
                                              ", or ask your administrator");
}

// Tries it, because the kernel counts the processes of the user in all shells and containers.
bool can_have_threads(size_t count) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  std::vector<pthread_t> threads(count);
  std::atomic<bool> over = false;
  const auto wait = [](void* flag) -> void* {
    static_cast<std::atomic<bool>*>(flag)->wait(false);
    return nullptr;
  };
  size_t made = 0;
  while (made < count && pthread_create(&threads[made], &small, wait, &over) == 0) ++made;
  over = true;
  over.notify_all();
  for (size_t each = 0; each < made; ++each) pthread_join(threads[each], nullptr);
  pthread_attr_destroy(&small);
  return made == count;
}

std::vector<uint32_t> ignored_signals() {
  std::vector<uint32_t> ignored;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now {};
    const bool own = std::find(kIgnoredSignals.begin(), kIgnoredSignals.end(), number) != kIgnoredSignals.end();
    if (own || sigaction(number, nullptr, &now) != 0) continue;
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

void raise_soft_limits() {
  for (const Named& each : kLimits) {
    rlimit limit{};
    const bool kept = each.resource == RLIMIT_CORE || each.resource == RLIMIT_STACK;
    if (kept || getrlimit(each.resource, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(each.resource, &limit);
  }
}

Status has_room_for_controller() {
  if (soft_limit(RLIMIT_NOFILE) < kFewestFiles)
    return too_low("open files", std::to_string(kFewestFiles), "-n", "4096");
  if (soft_limit(RLIMIT_AS) < kLeastMemory) return too_low("virtual memory", "150 MiB", "-v", "unlimited");
  if (soft_limit(RLIMIT_FSIZE) < kSmallestFile) return too_low("file sizes", "1 MiB", "-f", "unlimited");
  const bool limited = soft_limit(RLIMIT_NPROC) != RLIM_INFINITY;
  if (limited && !can_have_threads(kFewestThreads))
    return too_low("processes and threads of this user", std::to_string(kFewestThreads) + " more", "-u", "4096");
  return Status();
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
