// SPDX-License-Identifier: Apache-2.0
// Backend: the interfaces that a backend implements. Optional ones are null pointers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/job/job_spec.h"
#include "core/port/agent_placement.h"
#include "core/port/capabilities.h"
#include "core/port/claims.h"
#include "core/port/idle_agents.h"
#include "core/port/journal_packing.h"
#include "core/port/planning.h"

namespace muster {

// References to parts that outlive it. Null: the backend lacks this part.
struct Backend {
  Capabilities capabilities;
  AgentPlacement& placement;
  Planning& planning;
  Claims* claims = nullptr;            // null: its nodes are not shared with other users
  MachineSharing* machine = nullptr;   // null: jobs do not wait for each other on this backend
  HostSharing* hosts = nullptr;        // null: the hosts of jobs are not shared with other users
  HostReach* reach = nullptr;          // null: its nodes are reachable at once, or never
  AgentProcesses* agents = nullptr;    // null: it does not see whether an agent is stopped by a signal
  IdleAgents* idle = nullptr;          // null: agents leave with their job
  JournalPacking* journals = nullptr;  // with Capabilities::agents_keep_journal

  // True if both are the same backend.
  bool operator==(const Backend& other) const { return &placement == &other.placement; }
};

// These call the optional part, or return the default if the backend lacks it.
inline Status claim(const Backend& backend, const JobOnNodes& job) {
  return backend.claims == nullptr ? Status() : backend.claims->claim(job);
}
inline void unclaim(const Backend& backend, const JobId& job) {
  if (backend.claims != nullptr) backend.claims->unclaim(job);
}
inline std::optional<Room> room_of(const Backend& backend, bool gpus) {
  return backend.machine == nullptr ? std::nullopt : std::optional(backend.machine->room(gpus));
}
inline std::optional<std::vector<Holder>> others_on(const Backend& backend, const JobOnNodes& waiting, TimePoint asked,
                                                    const std::function<void()>& seen) {
  return backend.hosts == nullptr ? std::vector<Holder>() : backend.hosts->others_on(waiting, asked, seen);
}
inline std::vector<IdleAgent> idle_agents_of(const Backend& backend) {
  return backend.idle == nullptr ? std::vector<IdleAgent>() : backend.idle->idle_agents();
}

// The backends of a controller, by the kind in the job file.
class Backends {
 public:
  // `local`: the backend of jobs on this machine, or of hosts that join by themselves.
  explicit Backends(const Backend& local) : local_(local) {}
  Backends with(BackendKind kind, const Backend& backend) && {
    others_.emplace(kind, backend);
    return std::move(*this);
  }
  const Backend& local() const { return local_; }
  // Null: it is not part of this build.
  const Backend* find(BackendKind kind) const {
    const auto other = others_.find(kind);
    if (other != others_.end()) return &other->second;
    return kind == BackendKind::local ? &local_ : nullptr;
  }
  template <typename Visit>
  void each(const Visit& visit) const {
    visit(local_);
    for (const auto& [kind, backend] : others_) visit(backend);
  }

 private:
  Backend local_;
  std::map<BackendKind, Backend> others_;
};

}  // namespace muster
