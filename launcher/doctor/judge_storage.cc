// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr uint64_t gib = 1ULL << 30;
constexpr uint64_t mib = 1ULL << 20;
constexpr uint64_t enough_shared_memory = gib;  // for the buffers of NCCL and DataLoader workers
constexpr uint64_t scarce_disk = 2 * gib;
constexpr uint64_t no_disk = 64 * mib;
constexpr uint64_t scarce_inodes = 10'000;
constexpr uint64_t no_inodes = 100;
constexpr const char* forget = "muster rm --over 1GiB";

Finding shared_memory(const DoctorFacts& facts) {
  const StorageFacts& storage = facts.storage;
  const std::string size = humane_size(storage.shared_memory_bytes) + " in /dev/shm";
  if (storage.shared_memory_bytes < enough_shared_memory)
    return {
        Level::note, "shared memory", size, "DataLoader workers and NCCL may end with SIGBUS",
        facts.machine.container ? "docker run --shm-size=8g …" : by_root(facts, "mount -o remount,size=8G /dev/shm")};
  if (storage.shared_memory_free_bytes < 256 * mib)
    return {Level::note, "shared memory", size + ", " + humane_size(storage.shared_memory_free_bytes) + " free",
            "DataLoader workers and NCCL may end with SIGBUS", "ls -lS /dev/shm"};
  return {Level::ok, "shared memory", size, "", ""};
}

Finding disk(const DiskFacts& disk, const std::string& subject, const std::string& use, const std::string& mend) {
  const std::string text = humane_size(disk.free_bytes) + " free of " + humane_size(disk.bytes) + " " + use;
  const bool counted = disk.inodes > 0;
  const std::string full = "writes fail: output is lost and jobs may fail";
  if (disk.free_bytes < no_disk) return {Level::problem, subject, text, full, mend};
  if (counted && disk.free_inodes < no_inodes)
    return {Level::problem, subject, text + ", but no inodes for more files", full, mend};
  if (disk.free_bytes < scarce_disk) return {Level::note, subject, text, "a job with much output can fill it", mend};
  if (counted && disk.free_inodes < scarce_inodes)
    return {Level::note, subject, text + ", but inodes for only " + humane_count(disk.free_inodes) + " files",
            "they may be used up", mend};
  return {Level::ok, subject, text, "", ""};
}

Finding temporary(const StorageFacts& storage) {
  const std::string& folder = storage.temporary_folder;
  if (!storage.temporary.exists)
    return {Level::problem, "temporary files", folder + " (TMPDIR) does not exist", "torch and DataLoader workers fail",
            "mkdir -p " + folder};
  if (!storage.temporary.writable)
    return {Level::problem, "temporary files", folder + " cannot be written", "torch and DataLoader workers fail",
            "export TMPDIR=/a/folder/of/yours"};
  if (storage.temporary.no_exec)
    return {Level::note, "temporary files", folder + " is mounted noexec",
            "libraries that torch.compile and Triton build there cannot be loaded", "export TMPDIR=/a/folder/of/yours"};
  return disk(storage.temporary, "temporary files", "in " + folder, "du -xh " + folder + " | sort -h | tail");
}

Finding state(const StorageFacts& storage) {
  const std::string folder = storage.state_folder;
  const std::string elsewhere =
      std::string("export ") + (storage.state_named ? "MUSTER_STATE_DIR" : "XDG_STATE_HOME") + "=/a/folder/of/yours";
  const std::string nothing = "no job can be started";
  if (folder.empty())
    return {Level::problem, "state", storage.state_problem, nothing, "export MUSTER_STATE_DIR=/a/folder/of/yours"};
  if (storage.state_foreign) return {Level::problem, "state", folder + " belongs to another user", nothing, elsewhere};
  if (!storage.state.writable) return {Level::problem, "state", folder + " cannot be written", nothing, elsewhere};
  if (storage.state_open)
    return {Level::note,
            "state",
            folder + " can be written by others",
            "other users can change your jobs",
            "chmod go-w " + folder,
            Fix::close_state};
  if (!storage.state_instead.empty())
    return {Level::note, "state", "jobs are kept in " + folder + ", because " + storage.state_instead,
            "another login may not find them, and a cleanup of temporary files may delete them",
            "export MUSTER_STATE_DIR=/a/folder/of/yours"};
  if (!storage.state.network.empty())
    return {Level::note, "state", folder + " is on " + storage.state.network,
            "journals are slow, and file locks may not work", elsewhere};
  if (!storage.state_exists)
    return {Level::ok, "state", folder + "; the first job creates it", "", "", Fix::make_state};
  return {Level::ok, "state", folder, "", ""};
}

// Ended jobs are removed when they exceed MUSTER_KEEP_SIZE, but the disk may be smaller.
Finding kept(const StorageFacts& storage) {
  const std::string limit =
      storage.keep_bytes == 0 ? "all ended jobs" : "ended jobs up to " + humane_size(storage.keep_bytes);
  const std::string text =
      "the state folder uses " + humane_size(storage.state_used_bytes) + "; " + limit + " are kept";
  if (storage.state_used_bytes < gib || storage.state_used_bytes < storage.state.free_bytes)
    return {Level::ok, "kept jobs", text, "", ""};
  return {Level::note, "kept jobs", text, "this is more than the free space of the disk", forget};
}

}  // namespace

std::vector<Finding> judge_storage(const DoctorFacts& facts) {
  std::vector<Finding> findings = {shared_memory(facts)};
  if (facts.storage.state.bytes > 0)
    findings.push_back(disk(facts.storage.state, "disk", "for output and journals", forget));
  if (facts.storage.temporary.bytes > 0 || !facts.storage.temporary.exists)
    findings.push_back(temporary(facts.storage));
  findings.push_back(state(facts.storage));
  if (facts.storage.state_exists) findings.push_back(kept(facts.storage));
  return findings;
}

}  // namespace muster
