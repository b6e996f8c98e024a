// SPDX-License-Identifier: Apache-2.0
#include "core/system/machine/share_text.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "core/base/ids.h"
#include "core/base/text.h"

namespace muster {
namespace {

constexpr const char* kFirstLine = "muster share 1";
constexpr size_t kMostDevices = 8192;
constexpr uint64_t kMostMemory = 1ULL << 50;

bool is_word(const std::string& text) {
  return !text.empty() && text.size() <= 100 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
}

bool read_field(MachineShare& share, const std::string& key, std::istringstream& rest) {
  if (key == "job") return (rest >> share.job) && JobId::parse(share.job).ok();
  if (key == "name") return (rest >> share.name) && is_word(share.name);
  if (key == "pid") return static_cast<bool>(rest >> share.pid);
  if (key == "whole") return static_cast<bool>(rest >> share.whole);
  if (key == "memory") return (rest >> share.claim.memory_bytes) && share.claim.memory_bytes <= kMostMemory;
  if (key == "gpus") {
    for (std::string gpu; rest >> gpu;) {
      if (!is_word(gpu) || share.claim.gpus.size() >= kMostDevices) return false;
      share.claim.gpus.insert(gpu);
    }
  }
  if (key == "cpus") {
    for (uint32_t cpu = 0; rest >> cpu;) {
      if (share.claim.cpus.size() >= kMostDevices) return false;
      share.claim.cpus.insert(cpu);
    }
  }
  return true;
}

void add(MachineShare& sum, const MachineShare& share) {
  sum.claim.gpus.insert(share.claim.gpus.begin(), share.claim.gpus.end());
  sum.claim.cpus.insert(share.claim.cpus.begin(), share.claim.cpus.end());
  if (!sum.whole) sum.claim.memory_bytes += share.claim.memory_bytes;
}

}  // namespace

std::string share_text(const MachineShare& share) {
  std::ostringstream text;
  text << kFirstLine << "\njob " << share.job << "\nname " << share.name << "\npid " << share.pid << "\nwhole "
       << share.whole << "\nmemory " << share.claim.memory_bytes << "\ngpus";
  for (const std::string& gpu : share.claim.gpus) text << ' ' << gpu;
  text << "\ncpus";
  for (const uint32_t cpu : share.claim.cpus) text << ' ' << cpu;
  text << "\n";
  return text.str();
}

std::optional<MachineShare> read_share(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kFirstLine) return std::nullopt;
  MachineShare share;
  while (std::getline(lines, line)) {
    std::istringstream rest(line);
    std::string key;
    rest >> key;
    if (!read_field(share, key, rest)) return std::nullopt;
  }
  if (share.job.empty() || share.name.empty()) return std::nullopt;
  return share;
}

std::vector<MachineShare> by_job(std::vector<MachineShare> shares) {
  std::stable_sort(shares.begin(), shares.end(),
                   [](const MachineShare& a, const MachineShare& b) { return a.whole && !b.whole; });
  std::map<std::string, MachineShare> jobs;
  for (MachineShare& share : shares) {
    const auto [found, first] = jobs.try_emplace(share.job, share);
    if (!first && found->second.user == share.user) add(found->second, share);
  }
  std::vector<MachineShare> list;
  for (auto& [job, share] : jobs) list.push_back(std::move(share));
  return list;
}

}  // namespace muster
