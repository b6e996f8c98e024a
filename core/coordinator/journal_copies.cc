// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/journal_copies.h"

#include "core/base/text.h"
#include "core/journal/journal_copy.h"

namespace muster {

void JournalCopies::written(TimePoint at, const JournalEntry& entry) {
  if (!kept_ && proxies_.empty()) return;
  const std::string line = encode_line({at, entry});
  if (kept_) kept_->add(line);
  // Lines that wait in memory may reach the file in another order. The copy is made again from the file.
  if (context_.ledger.behind()) kept_.reset();
  for (const NodeIndex index : proxies_) {
    AgentNode* node = context_.nodes.connected(index);
    if (node != nullptr && node->proxy) node->channel->send(JournalCopy{{line}});
  }
}

void JournalCopies::connected(NodeIndex node, const std::string& snapshot) {
  keeps_[node] = kept_ && kept_->begins_with(snapshot) ? snapshot.size() : 0;
}

void JournalCopies::copy_to_proxy(NodeIndex node, uint64_t from) {
  proxies_.insert(node);
  const auto lines = context_.ports.store.read(context_.ledger.submission().id);
  if (!lines.ok()) return context_.ports.log.error("cannot copy the job's journal: " + lines.status().message());
  JournalCopy copy;
  for (size_t i = from; i < lines->size(); ++i)
    copy.lines.push_back(i == 0 ? shared_line(lines->front()) : (*lines)[i]);
  context_.nodes.send(node, copy);
}

void JournalCopies::speak() {
  for (const auto& [index, node] : context_.nodes.all()) {
    if (node.proxy && node.channel) node.channel->send(JournalCopy{});
  }
}

// The first 8 nodes keep it, so that some of them survive.
void JournalCopies::add_to(NodeIndex node, DesiredState& desired) {
  constexpr NodeIndex kKeepers = 8;
  if (node >= kKeepers || !have_kept_journal()) return;
  size_t& keeps = keeps_[node];
  desired.kept = keeps;
  desired.snapshot = kept_->after(keeps);
  keeps += desired.snapshot.size();
  if (kept_->overflowed())
    context_.core.remark("the job's journal is larger than its agents keep (" + humane_size(KeptJournal::most) +
                             "): if the coordinator's pod is lost, the next one continues from the job as it is now",
                         true);
}

bool JournalCopies::have_kept_journal() {
  const Backend& backend = context_.ports.backend;
  if (!backend.capabilities.agents_keep_journal || context_.ledger.behind()) return false;
  if (kept_) return true;
  auto lines = context_.ports.store.read(context_.ledger.submission().id);
  if (!lines.ok()) return false;
  const auto pack = [packing = backend.journals](const std::vector<std::string>& some) {
    return packing->packed_journal(some);
  };
  kept_.emplace(pack, std::move(*lines));
  keeps_.clear();
  return true;
}

}  // namespace muster
