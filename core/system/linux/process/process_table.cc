// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/process_table.h"

namespace muster {

ProcessHandle ProcessTable::add(HostedProcess process) {
  const ProcessHandle handle = ++last_handle_;
  if (!process.adopted) children_.emplace(process.pid(), handle);
  processes_.emplace(handle, std::move(process));
  return handle;
}

HostedProcess* ProcessTable::find(ProcessHandle handle) {
  const auto found = processes_.find(handle);
  return found == processes_.end() ? nullptr : &found->second;
}

const HostedProcess* ProcessTable::find(ProcessHandle handle) const {
  const auto found = processes_.find(handle);
  return found == processes_.end() ? nullptr : &found->second;
}

std::optional<ProcessHandle> ProcessTable::child(pid_t pid) const {
  const auto found = children_.find(pid);
  if (found == children_.end()) return std::nullopt;
  return found->second;
}

HostedProcess ProcessTable::take(ProcessHandle handle) {
  HostedProcess process = std::move(processes_.extract(handle).mapped());
  if (!process.adopted) children_.erase(process.pid());
  return process;
}

std::set<pid_t> ProcessTable::children() const {
  std::set<pid_t> pids;
  for (const auto& [pid, handle] : children_) pids.insert(pid);
  return pids;
}

}  // namespace muster
