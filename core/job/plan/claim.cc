// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/claim.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMostNumbers = 8;
constexpr size_t kMostHolders = 8;

enum class Kind { gpus, cpus, memory };

// The indices of those GPUs of the claim that the machine has: "0, 1".
std::string gpu_numbers(const Claim& claim, const Inventory& machine) {
  std::vector<std::string> numbers;
  for (const Gpu& gpu : machine.gpus) {
    if (claim.gpus.count(gpu.uuid) > 0) numbers.push_back(std::to_string(gpu.index));
  }
  return short_list(numbers, kMostNumbers);
}

std::string cpu_numbers(const Claim& claim, const Inventory& machine) {
  std::vector<std::string> numbers;
  for (const uint32_t cpu : machine.cpus) {
    if (claim.cpus.count(cpu) > 0) numbers.push_back(std::to_string(cpu));
  }
  return short_list(numbers, kMostNumbers);
}

// Empty: the claim has nothing of this kind.
std::string part_of(const Claim& claim, Kind kind, const Inventory& machine) {
  switch (kind) {
    case Kind::gpus: return gpu_numbers(claim, machine);
    case Kind::cpus: return cpu_numbers(claim, machine);
    case Kind::memory: return claim.memory_bytes > 0 ? humane_size(claim.memory_bytes) : "";
  }
  return "";
}

Kind short_of(const Needs& needs, const Inventory& free) {
  if (needs.gpus > free.gpus.size()) return Kind::gpus;
  return needs.cpus > free.cpus.size() ? Kind::cpus : Kind::memory;
}

std::string text_of(const Needs& needs, Kind kind) {
  switch (kind) {
    case Kind::gpus: return count_of(needs.gpus, "GPU");
    case Kind::cpus: return count_of(needs.cpus, "CPU");
    case Kind::memory: return humane_size(needs.memory_bytes) + " of memory";
  }
  return "";
}

std::string whole_of(const Inventory& machine, Kind kind) {
  const std::string host = machine.host.empty() ? "this machine" : machine.host;
  if (kind == Kind::memory) return host + " has " + humane_size(machine.memory_bytes.value_or(0));
  const size_t count = kind == Kind::gpus ? machine.gpus.size() : machine.cpus.size();
  return host + " has " + (count == 0 ? "none" : std::to_string(count));
}

}  // namespace

void add_to(Claim& claim, const PlannedRank& rank) {
  for (const Gpu& gpu : rank.gpus) claim.gpus.insert(gpu.uuid);
  claim.cpus.insert(rank.cpus.begin(), rank.cpus.end());
  claim.memory_bytes += rank.memory_bytes;
}

void add_to(Needs& needs, const PlannedRank& rank) {
  needs.gpus += rank.gpus.size();
  needs.cpus += rank.cpus.size();
  needs.memory_bytes += rank.memory_bytes;
}

Claim claim_of(const Plan& plan) {
  Claim claim;
  for (const PlannedRank& rank : plan.ranks) add_to(claim, rank);
  return claim;
}

Needs needs_of(const Plan& plan) {
  Needs needs;
  for (const PlannedRank& rank : plan.ranks) add_to(needs, rank);
  return needs;
}

Inventory without(Inventory machine, const std::vector<Holder>& holders) {
  Claim held;
  for (const Holder& holder : holders) {
    held.gpus.insert(holder.claim.gpus.begin(), holder.claim.gpus.end());
    held.cpus.insert(holder.claim.cpus.begin(), holder.claim.cpus.end());
    if (machine.memory_bytes) *machine.memory_bytes -= std::min(*machine.memory_bytes, holder.claim.memory_bytes);
  }
  std::erase_if(machine.cpus, [&](uint32_t cpu) { return held.cpus.count(cpu) > 0; });
  std::erase_if(machine.gpus, [&](const Gpu& gpu) { return held.gpus.count(gpu.uuid) > 0; });
  return machine;
}

bool fits(const Needs& needs, const Inventory& free) {
  return needs.gpus <= free.gpus.size() && needs.cpus <= free.cpus.size() &&
         (!free.memory_bytes || needs.memory_bytes <= *free.memory_bytes);
}

std::string shortage(const Needs& needs, const Inventory& machine, const Inventory& free,
                     const std::vector<Holder>& holders, const std::string& where) {
  const Kind kind = short_of(needs, free);
  std::vector<std::string> parts;
  for (const Holder& holder : holders) {
    if (const std::string part = part_of(holder.claim, kind, machine); !part.empty())
      parts.push_back(holder.who + " holds " + part);
  }
  if (!fits(needs, machine)) return text_of(needs, kind) + where + ", and " + whole_of(machine, kind) + " now";
  if (parts.size() > kMostHolders) {
    const size_t more = parts.size() - kMostHolders;
    parts.resize(kMostHolders);
    parts.push_back(std::to_string(more) + " more hold some");
  }
  return text_of(needs, kind) + where + ": " + join(parts, "; ");
}

}  // namespace muster
