// SPDX-License-Identifier: Apache-2.0
#include "core/journal/journal_copy.h"

namespace muster {

std::string shared_line(const std::string& line) {
  Result<JournalLine> read = decode_line(line);
  if (!read.ok()) return line;
  auto* submission = std::get_if<Submission>(&read->entry);
  if (submission == nullptr) return line;
  submission->spec.workdir.clear();
  submission->spec.env.clear();
  submission->origin.clear();
  submission->manifest.clear();
  submission->code_commit.clear();
  submission->submit_key.clear();
  for (GroupSpec& group : submission->spec.groups) {
    group.command.clear();
    group.env.clear();
  }
  return encode_line(*read);
}

Submission localized(Submission shared, const JobId& id, const JobSpec& own, NodeIndex node, const Plan& here) {
  shared.id = id;
  shared.copy = true;
  shared.name += "-node" + std::to_string(node);
  shared.spec.name = shared.name;
  shared.spec.workdir = own.workdir;
  shared.spec.env = own.env;
  shared.spec.torch.role = own.torch.role;
  shared.spec.torch.virtual_local_rank = own.torch.virtual_local_rank;
  for (size_t i = 0; i < shared.spec.groups.size() && i < own.groups.size(); ++i) {
    shared.spec.groups[i].command = own.groups[i].command;
    shared.spec.groups[i].env = own.groups[i].env;
  }
  give_devices(shared.plan, node, here);
  return shared;
}

void give_devices(Plan& plan, NodeIndex node, const Plan& here) {
  for (PlannedRank& rank : plan.ranks) {
    if (rank.node != node || rank.local_rank >= here.ranks.size()) continue;
    rank.gpus = here.ranks[rank.local_rank].gpus;
    rank.cpus = here.ranks[rank.local_rank].cpus;
    rank.near = here.ranks[rank.local_rank].near;
  }
}

Status close_copy(JobFold& fold, JournalStore& store, TimePoint at, const std::string& why) {
  std::vector<job::Event> events = {job::StopAsked{Duration(0), why}};
  for (NodeIndex node = 0; node < fold.state().nodes.size(); ++node) events.push_back(job::NodeLost{node, why});
  for (const job::Event& event : events) {
    std::optional<job::Step> step = fold.consider(at, event);
    if (!step) continue;
    if (const Status kept = store.append_last(fold.submission().id, encode_line({at, event}), false); !kept.ok())
      return kept;
    fold.take(at, event, std::move(*step));
  }
  return {};
}

}  // namespace muster
