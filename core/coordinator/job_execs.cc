// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/job_execs.h"

namespace muster {

JobExecs::JobExecs(const JobContext& context)
    : context_(context),
      relay_([this](NodeIndex node, const ExecFrame& frame) { context_.nodes.send(node, frame); }) {}

// Why no exec process can run beside this rank, as far as the coordinator knows. The agent checks the rest.
Status JobExecs::refusal(const ExecStart& start) const {
  const std::string& name = context_.ledger.submission().name;
  const std::vector<PlannedRank>& ranks = context_.ledger.submission().plan.ranks;
  if (context_.ledger.state().phase == job::Phase::queued)
    return Status(Code::failed_precondition,
                  name + " is queued, so no rank runs yet; muster why " + name + " says why");
  if (start.index >= ranks.size()) return Status(Code::failed_precondition, name + " has no such rank");
  const AgentNode* node = context_.nodes.connected(ranks[start.index].node);
  if (node == nullptr)
    return Status(Code::unavailable, "the agent of that rank is not connected; muster describe " + name +
                                         " shows whether its host is reachable");
  // On a host that the user started by hand, no other host may choose what runs.
  if (node->proxy)
    return Status(Code::failed_precondition,
                  "muster exec does not reach a host that was started by hand: use a shell on the rank's host");
  return Status();
}

void JobExecs::open(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
  if (const Status refused = refusal(start); !refused.ok()) return refuse_exec(*viewer, refused);
  relay_.open(context_.ledger.submission().plan.ranks[start.index].node, start, std::move(viewer));
}

}  // namespace muster
