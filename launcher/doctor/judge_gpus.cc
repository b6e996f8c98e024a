// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

Finding gpus(const DoctorFacts& facts) {
  const std::vector<Gpu>& ours = facts.machine.inventory.gpus;
  if (!facts.gpus.troubles.empty()) {
    return {Level::note, "gpus", count_of(ours.size(), "usable GPU") + "; " + join(facts.gpus.troubles, "; "), "",
            "nvidia-smi"};
  }
  if (!ours.empty()) {
    return {Level::ok, "gpus",
            std::to_string(ours.size()) + " × " + ours.front().name + ", " + humane_size(ours.front().memory_bytes) +
                " each",
            "", ""};
  }
  if (facts.gpus.visible && facts.gpus.health && !facts.gpus.health->gpus.empty()) {
    return {Level::note, "gpus",
            "CUDA_VISIBLE_DEVICES=" + *facts.gpus.visible + " hides all of " +
                count_of(facts.gpus.health->gpus.size(), "GPU"),
            "jobs run on CPUs", "unset CUDA_VISIBLE_DEVICES"};
  }
  if (!facts.gpus.driver) return {Level::ok, "gpus", "none found; jobs run on CPUs", "", ""};
  return {Level::note, "gpus", "an NVIDIA driver is loaded, but libnvidia-ml.so.1 reports no GPU", "jobs run on CPUs",
          "nvidia-smi"};
}

std::string cuda_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Finding driver(const NvmlHealth& health) {
  return {Level::ok, "gpu driver",
          health.driver + (health.cuda_driver > 0 ? ", CUDA up to " + cuda_text(health.cuda_driver) : ""), "", ""};
}

using Findings = std::vector<Finding>;

void judge_modes(const DoctorFacts& facts, const GpuHealth& gpu, Findings& findings) {
  const std::string name = "GPU " + std::to_string(gpu.index);
  const std::string smi = "nvidia-smi -i " + std::to_string(gpu.index);
  if (gpu.sharing == GpuHealth::Sharing::none)
    findings.push_back({Level::problem, "gpu mode", name + " is in compute mode Prohibited", "no rank can use it",
                        by_root(facts, smi + " -c DEFAULT")});
  if (gpu.sharing == GpuHealth::Sharing::one)
    findings.push_back({Level::note, "gpu mode", name + " is in compute mode Exclusive_Process",
                        "a second process on it fails", by_root(facts, smi + " -c DEFAULT")});
  if (gpu.divided == true)
    findings.push_back({Level::note, "gpu mode", name + " is partitioned (MIG)",
                        "muster assigns whole GPUs; CUDA uses one partition of this one",
                        by_root(facts, smi + " -mig 0")});
  if (gpu.persistent == false)
    findings.push_back({Level::note, "gpu mode", name + " is not in persistence mode",
                        "the first program on it waits seconds for the driver", by_root(facts, smi + " -pm 1")});
}

void judge_memory(const DoctorFacts& facts, const GpuHealth& gpu, Findings& findings) {
  const std::string name = "GPU " + std::to_string(gpu.index);
  const std::string smi = "nvidia-smi -i " + std::to_string(gpu.index);
  if (gpu.memory_errors.value_or(0) > 0)
    findings.push_back({Level::problem, "gpu memory",
                        name + " had " + count_of(*gpu.memory_errors, "memory error") + " that ECC could not correct",
                        "ranks on it fail or compute wrongly", by_root(facts, smi + " -r")});
  if (gpu.remap_failed == true)
    findings.push_back({Level::problem, "gpu memory", name + " has bad memory rows and no spare rows",
                        "the GPU must be replaced", "nvidia-smi -q -d ROW_REMAPPER -i " + std::to_string(gpu.index)});
  if (gpu.remap_waits_for_reset == true)
    findings.push_back({Level::note, "gpu memory", name + " needs a reset to remap bad memory rows",
                        "memory errors may recur until then", by_root(facts, smi + " -r")});
}

Finding user(const GpuUser& user, const std::optional<NvmlHealth>& health) {
  std::string name = "a GPU";
  for (const GpuHealth& gpu : health ? health->gpus : std::vector<GpuHealth>()) {
    if (gpu.uuid == user.gpu) name = "GPU " + std::to_string(gpu.index);
  }
  const std::string who =
      user.program.empty() ? "a process that is not visible from here" : user.user + "'s " + escaped(user.program);
  const std::string pid = std::to_string(user.pid);
  return {Level::note, "gpu users", name + " is used by " + who + ", pid " + pid,
          "jobs wait for this GPU, or get another one", user.program.empty() ? "nvidia-smi" : "ps -fp " + pid};
}

}  // namespace

Findings judge_gpus(const DoctorFacts& facts) {
  Findings findings = {gpus(facts)};
  if (facts.gpus.health) {
    findings.push_back(driver(*facts.gpus.health));
    for (const GpuHealth& gpu : facts.gpus.health->gpus) {
      judge_modes(facts, gpu, findings);
      judge_memory(facts, gpu, findings);
    }
  }
  for (const GpuUser& one : facts.gpus.users) findings.push_back(user(one, facts.gpus.health));
  if (!facts.gpus.faults.empty())
    findings.push_back({Level::note, "gpu faults", "the kernel log has " + short_list(facts.gpus.faults, 4),
                        "ranks that used these GPUs at that time have failed", by_root(facts, "dmesg | grep Xid")});
  return findings;
}

}  // namespace muster
