#include "core/coordinator/job_execs.h"

namespace muster {

JobExecs::JobExecs(const JobContext& context)
    : context_(context),
      relay_([this](NodeIndex node, const ExecFrame& frame) { context_.nodes.send(node, frame); }) {}

// Why no exec can run beside this rank, as far as is known here; its agent knows more.
Status JobExecs::refusal(const ExecStart& start) const {
  const std::string& name = context_.ledger.submission().name;
  const std::vector<PlannedRank>& ranks = context_.ledger.submission().plan.ranks;
  if (context_.ledger.state().phase == job::Phase::queued)
    return Status(Code::failed_precondition, name + " is queued: no rank of it runs yet.  muster why " + name);
  if (start.index >= ranks.size()) return Status(Code::failed_precondition, name + " has no such rank");
  const AgentNode* node = context_.nodes.connected(ranks[start.index].node);
  if (node == nullptr)
    return Status(Code::unavailable, "the agent of that rank is not connected now.  muster describe " + name);
  // Nothing that came from elsewhere may choose what runs on a host whose part was typed there.
  if (node->proxy)
    return Status(Code::failed_precondition,
                  "that rank's host was typed by hand, and no command travels there: use a shell on that host");
  return Status();
}

void JobExecs::open(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
  if (const Status refused = refusal(start); !refused.ok()) return refuse_exec(*viewer, refused);
  relay_.open(context_.ledger.submission().plan.ranks[start.index].node, start, std::move(viewer));
}

}  // namespace muster
