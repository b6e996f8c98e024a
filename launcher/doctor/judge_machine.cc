// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr uint64_t little_memory = 1ULL << 30;
constexpr int64_t year_2024 = 1'704'067'200;

Finding machine(const MachineFacts& facts) {
  return {Level::ok, "machine",
          facts.inventory.host + ", " + facts.kernel + (facts.container ? ", in a container" : "") +
              (facts.wsl ? ", under Windows" : ""),
          "", ""};
}

Finding cpus(const MachineFacts& facts) {
  const size_t ours = facts.inventory.cpus.size();
  if (ours >= facts.cpus_online) return {Level::ok, "cpus", count_of(ours, "CPU"), "", ""};
  return {Level::note, "cpus", std::to_string(ours) + " of " + count_of(facts.cpus_online, "CPU") + " are usable",
          "ranks run only on these (affinity mask or cpuset)", "taskset -pc $$"};
}

Finding governor(const DoctorFacts& facts) {
  return {Level::note, "cpu clock", "the governor is " + facts.machine.governor, "CPUs run at their lowest clock",
          by_root(facts, "cpupower frequency-set -g performance")};
}

Finding memory(const MachineFacts& facts) {
  const std::string all = facts.inventory.memory_bytes ? humane_size(*facts.inventory.memory_bytes) : "unknown";
  if (!facts.memory_free_bytes) return {Level::ok, "memory", all, "", ""};
  const std::string text = all + ", " + humane_size(*facts.memory_free_bytes) + " free on the machine";
  if (*facts.memory_free_bytes >= little_memory) return {Level::ok, "memory", text, "", ""};
  return {Level::note, "memory", text, "the kernel may kill ranks", "ps aux --sort=-rss | head"};
}

Finding overcommit(const DoctorFacts& facts) {
  return {Level::note, "overcommit", "vm.overcommit_memory is 2",
          "CUDA and forked workers fail, because they reserve more memory than they use",
          by_root(facts, "sysctl -w vm.overcommit_memory=0")};
}

// A container has the clock of its host.
std::string clock_remedy(const DoctorFacts& facts) {
  if (facts.machine.systemd) return by_root(facts, "timedatectl set-ntp true");
  if (facts.machine.container) return "start a time service on the host of this container";
  return "install chrony, and start its time service: " + by_root(facts, "chronyd");
}

// A time service reports to the kernel that the clock is synchronised (adjtimex(2)). This is visible in containers too.
Finding clock(const DoctorFacts& facts) {
  const std::string mend = clock_remedy(facts);
  if (facts.machine.clock_seconds < year_2024)
    return {Level::problem, "clock", "it is set to a time before 2024", "certificates fail and times of jobs are wrong",
            mend};
  if (!facts.machine.clock_synchronised)
    return {Level::ok, "clock", "the kernel does not report whether it is synchronised", "", ""};
  if (*facts.machine.clock_synchronised) return {Level::ok, "clock", "synchronised", "", ""};
  return {Level::note, "clock", "the kernel reports no synchronisation",
          "times of several hosts may differ; jobs on one host are not affected", mend};
}

// Only jobs with `in_image` need one. Users cannot join the containers of docker.
Finding images(const MachineFacts& facts) {
  std::vector<std::string> programs = facts.image_programs;
  const bool docker_only = programs == std::vector<std::string>{"docker"};
  if (docker_only && !facts.docker_answers)
    return {
        Level::note, "images", "docker is installed, but its daemon does not answer",
        "jobs with in_image cannot open images",
        facts.systemd ? "systemctl start docker" : "start the daemon: dockerd, or install podman, which needs none"};
  if (!facts.docker_answers) std::erase(programs, "docker");
  if (docker_only && !facts.root)
    return {Level::ok, "images", "docker, which only root can use for in_image; podman and apptainer are for all users",
            "", ""};
  return {Level::ok, "images",
          programs.empty() ? "no program for in_image"
                           : join(programs, ", ") + " for in_image" +
                                 (facts.docker_answers ? "" : "; docker is installed, but its daemon does not answer"),
          "", ""};
}

}  // namespace

std::vector<Finding> judge_machine(const DoctorFacts& facts) {
  std::vector<Finding> findings = {machine(facts.machine), cpus(facts.machine)};
  if (facts.machine.governor == "powersave") findings.push_back(governor(facts));
  findings.push_back(memory(facts.machine));
  if (facts.machine.overcommit == 2) findings.push_back(overcommit(facts));
  findings.push_back(clock(facts));
  findings.push_back(images(facts.machine));
  return findings;
}

}  // namespace muster
