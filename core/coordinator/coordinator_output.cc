// Coordinator, what ranks print on nodes whose files it cannot read: kept here as it comes (output/output_mirror.h). A node is let
// go when all has come, or when none has for a while.
#include <algorithm>

#include "core/base/text.h"
#include "core/coordinator/coordinator.h"

namespace muster {
namespace {

// Longer than its agent waits without progress, which knows where the rest lies.
constexpr Duration kNoOutput = std::chrono::seconds(35);

}  // namespace

// Whose file it is, is in the plan: nothing that came over the wire names a path.
bool Coordinator::is_output_of(NodeIndex node, const OutputFile& file) const {
  if (!mirror_ || file.attempt == 0 || file.attempt > job::attempt_on(fold_.state(), node)) return false;
  const std::vector<PlannedRank>& ranks = fold_.plan_of(file.attempt).ranks;
  return file.index < ranks.size() && ranks[file.index].node == node;
}

void Coordinator::heard_output(NodeIndex index, const OutputBytes& bytes) {
  Node& node = nodes_[index];
  if (!is_output_of(index, bytes.file)) {
    if (!std::exchange(node.strange, true))
      ports_.log.warning(fold_.submission().name + ": node " + std::to_string(index) +
                         " sent output that is not its own");
    return;
  }
  if (!mirror_->knows(bytes.file)) {
    const PlannedRank& rank = fold_.plan_of(bytes.file.attempt).ranks[bytes.file.index];
    mirror_->add(bytes.file, {output_path(bytes.file.attempt, rank, OutputStream::out),
                              output_path(bytes.file.attempt, rank, OutputStream::err),
                              output_path(bytes.file.attempt, rank, OutputStream::setup)});
  }
  const OutputMirror::Heard heard = mirror_->heard(bytes);
  const auto farewell = farewells_.find(index);
  if (heard.wrote && farewell != farewells_.end()) farewell->second.since = ports_.loop.now();
  if (heard.answer && node.channel) node.channel->send(*heard.answer);
  if (!heard.trouble.empty()) remark(heard.trouble, true);
}

void Coordinator::output_beat() {
  if (!mirror_) return;
  const OutputMirror::Beat beat = mirror_->beat(ports_.loop.now());
  for (const OutputTaken& again : beat.again) {
    const auto node = nodes_.find(fold_.plan_of(again.file.attempt).ranks[again.file.index].node);
    if (node != nodes_.end() && node->second.channel) node->second.channel->send(again);
  }
  for (const std::string& trouble : beat.troubles) remark(trouble, true);
  const std::map<NodeIndex, Farewell> staying = farewells_;
  for (const auto& [index, farewell] : staying) {
    if (ports_.loop.now() - farewell.since >= kNoOutput) lose_output(index, "it did not come");
  }
}

// True: its agent stays, since some of its output has not come yet.
bool Coordinator::stays_for_output(NodeIndex index) {
  const auto node = nodes_.find(index);
  const bool over = state_of(index).phase == job::Phase::done;
  if (!mirror_ || !over || node == nodes_.end() || node->second.report.output_left == 0) return false;
  farewells_[index] = {node->second.incarnation, ports_.loop.now()};
  return true;
}

// `before`: what was left of the node's.
void Coordinator::note_output(NodeIndex index, uint64_t before) {
  const auto farewell = farewells_.find(index);
  const uint64_t left = nodes_[index].report.output_left;
  if (farewell != farewells_.end() && left == 0) {
    farewells_.erase(farewell);
    release(index);
  }
  // Who follows waits for what an attempt that is over had still to print.
  if (mirror_ && before > 0 && left == 0 && changed_) changed_();
}

// Ranks that ran when their agent was last heard of may have printed more since. Its successor there looks for it.
void Coordinator::lose_output(NodeIndex index, const std::string& why) {
  const auto node = nodes_.find(index);
  const bool ran = node != nodes_.end() && node->second.report.attempt > 0 && !node->second.report.quiet;
  const uint64_t left = node == nodes_.end() ? 0 : std::exchange(node->second.report.output_left, 0);
  const bool stayed = farewells_.erase(index) > 0;
  if (left > 0 || ran) {
    const std::string host = fold_.submission().plan.nodes[index].host;
    const std::string what = left > 0 ? humane_size(left) + " of what ranks printed on " + host + " is not here: "
                                      : "some of what ranks printed last on " + host + " may not be here: ";
    const std::string where =
        "; until another attempt runs there, it lies on that host below muster's cache, in jobs/" +
        fold_.submission().id.text();
    remark(what + why + (ports_.backend.capabilities.fixed_hosts ? where : ""), true);
  }
  if (stayed) release(index);
}

void Coordinator::lost(NodeIndex node, const std::string& reason) {
  if (mirror_) lose_output(node, reason);
  happen(job::NodeLost{node, reason});
}

void Coordinator::forget_output() {
  const std::map<NodeIndex, Farewell> staying = std::exchange(farewells_, {});
  mirror_.reset();
  for (const auto& [index, farewell] : staying) release(index);
}

bool Coordinator::has_output(const BegunAttempt& attempt) const {
  return std::none_of(nodes_.begin(), nodes_.end(), [&](const auto& entry) {
    const Report& report = entry.second.report;
    const bool of_gang = job::gang_of(fold_.state(), entry.first) == attempt.gang;
    return mirror_ && of_gang && report.output_left > 0 && report.output_attempt <= attempt.attempt;
  });
}

// Of a job that is over.
std::optional<NodeIndex> Coordinator::staying_node(Incarnation incarnation) const {
  for (const auto& [index, farewell] : farewells_) {
    if (farewell.incarnation == incarnation) return index;
  }
  return std::nullopt;
}

}  // namespace muster
