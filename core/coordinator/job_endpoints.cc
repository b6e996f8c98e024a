// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/job_endpoints.h"

#include <algorithm>

#include "core/attempt/assignment.h"

namespace muster {
namespace {

// A store proxy listens on loopback: only for its own node.
constexpr const char* kLoopback = "127.0.0.1";

}  // namespace

bool JobEndpoints::choose(uint32_t gang, Attempt attempt) {
  JobLedger& ledger = context_.ledger;
  if (ledger.fold().has_endpoints(gang, attempt)) return true;
  const Submission& submission = ledger.submission();
  AttemptEndpoints chosen{attempt, {}, {}, {}};
  chosen.endpoints.resize(submission.spec.groups.size());
  if (submission.spec.store == StoreHost::proxy) chosen.fronts.resize(submission.plan.nodes.size());
  for (const PlannedNode& planned : submission.plan.nodes) {
    if (ledger.gang_of(planned.node) != gang) continue;
    const bool served = chosen.endpoints[planned.group].port != 0;
    const bool proxy = has_store_front(submission, planned.node);
    const PortCounts needed = ports_needed(submission, planned.node);
    if (served && !proxy && needed.empty()) continue;
    const AgentNode* node = context_.nodes.find(planned.node);
    if (node == nullptr || node->report.meeting_port == 0) return false;
    const uint16_t port = node->report.meeting_port;
    if (!are_enough(node->report.ports, needed)) return false;
    chosen.ports.resize(needed.empty() ? chosen.ports.size() : submission.plan.nodes.size());
    if (!needed.empty()) chosen.ports.edit(planned.node) = node->report.ports;
    if (proxy) chosen.fronts.edit(planned.node) = {kLoopback, port};
    if (!served)
      chosen.endpoints.edit(planned.group) = {context_.ports.backend.placement.address(ledger.ref_of(planned.node)),
                                              port};
  }
  // Synced, together with all earlier entries on which the next desired states depend, such as which agents belong to the job.
  ledger.note(chosen, true);
  return true;
}

bool JobEndpoints::are_reported(uint32_t gang) const {
  const Submission& submission = context_.ledger.submission();
  return std::all_of(submission.plan.nodes.begin(), submission.plan.nodes.end(), [&](const PlannedNode& planned) {
    if (context_.ledger.gang_of(planned.node) != gang) return true;
    const AgentNode* node = context_.nodes.find(planned.node);
    return node != nullptr && are_enough(node->report.ports, ports_needed(submission, planned.node));
  });
}

// The backend is asked once for each node, however many desired states contain the addresses.
AttemptPlace JobEndpoints::place_of(NodeIndex index) {
  const JobLedger& ledger = context_.ledger;
  AttemptPlace place = ledger.fold().attempt_place(index);
  if (!addresses_) {
    addresses_.emplace();
    for (const PlannedNode& node : ledger.submission().plan.nodes) {
      const AgentPlacement& placement = context_.ports.backend.placement;
      addresses_->addresses.push_back(placement.address(ledger.ref_of(node.node)));
      addresses_->loopbacks.push_back(placement.loopback(ledger.ref_of(node.node)));
    }
  }
  place.addresses = addresses_->addresses;
  place.loopbacks = addresses_->loopbacks;
  return place;
}

}  // namespace muster
