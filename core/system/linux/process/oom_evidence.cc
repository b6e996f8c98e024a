// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/oom_evidence.h"

#include <algorithm>
#include <sstream>

#include "core/base/text.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

constexpr const char* kOutside = ", so the program itself or another process sent SIGKILL.";

// memory.events of cgroup version 2; it counts the cgroups below, too.
std::optional<uint64_t> kills_in(const std::string& cgroup) {
  const auto text = cgroup.empty() ? std::nullopt : read_small_file(cgroup + "/memory.events");
  std::istringstream words(text.value_or(""));
  uint64_t count = 0;
  for (std::string word; words >> word;) {
    if (word == "oom_kill" && words >> count) return count;
  }
  return std::nullopt;
}

std::optional<bool> has_grown(const std::optional<uint64_t>& before, const std::optional<uint64_t>& now) {
  if (!before || !now) return std::nullopt;
  return *now > *before;
}

std::string named(const KernelKill& kill) {
  const std::string memory = kill.resident_bytes == 0 ? "" : ", which used " + humane_size(kill.resident_bytes);
  return "process " + std::to_string(kill.pid) + " (" + escaped(kill.program) + ")" + memory;
}

const KernelKill* kill_of(const OomFacts& facts, int64_t pid) {
  if (!facts.log) return nullptr;
  const auto found =
      std::find_if(facts.log->rbegin(), facts.log->rend(), [&](const auto& kill) { return kill.pid == pid; });
  return found == facts.log->rend() ? nullptr : &*found;
}

}  // namespace

OomVerdict judge_kill(const OomFacts& facts, int64_t pid) {
  if (const KernelKill* own = kill_of(facts, pid))
    return {true, "The kernel's log says that it killed " + named(*own) + ", for lack of memory."};
  if (facts.in_cgroup == false)
    return {false,
            std::string("The kernel killed no process of the job's control group for lack of memory") + kOutside};
  if (facts.on_machine == false)
    return {false, std::string("The kernel killed no process for lack of memory") + kOutside};
  if (!facts.on_machine && !facts.in_cgroup)
    return {false, "It is not known whether the kernel killed it for lack of memory: /proc/vmstat has no oom_kill."};
  if (facts.log && !facts.log->empty())
    return {false,
            "The kernel killed " + named(facts.log->back()) + ", for lack of memory, but not this one" + kOutside};
  return {
      true,
      "The kernel killed a process for lack of memory at that time. muster does not know which one: the kernel's log "
      "is missing, incomplete or not readable."};
}

std::string note_on_others(const OomFacts& facts) {
  if (facts.in_cgroup == false || !facts.on_machine.value_or(facts.in_cgroup.value_or(false))) return "";
  const bool known = facts.log && !facts.log->empty();
  return "The kernel killed " + (known ? named(facts.log->back()) + "," : std::string("a process")) +
         " for lack of memory at that time.";
}

OomEvidence::Counts OomEvidence::read() const { return {machine_.read(), kills_in(cgroup_)}; }

void OomEvidence::count() {
  before_ = std::exchange(last_, read());
  if (!at_first_) at_first_ = last_.machine;
}

OomFacts OomEvidence::facts() {
  const Counts now = read();
  OomFacts facts{has_grown(before_.machine, now.machine), has_grown(before_.cgroup, now.cgroup), std::nullopt};
  if (!log_.readable()) return facts;
  const std::vector<KernelKill>& kills = log_.kills();
  const bool complete = now.machine && at_first_ && kills.size() >= *now.machine - *at_first_;
  if (complete) facts.log = kills;
  return facts;
}

}  // namespace muster
