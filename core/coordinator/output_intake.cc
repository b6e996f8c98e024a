// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/output_intake.h"

#include <algorithm>

#include "core/attempt/assignment.h"
#include "core/base/text.h"

namespace muster {
namespace {

// Longer than an agent waits without progress, so that its own report, which names the folder of the rest, comes first.
constexpr Duration kNoOutput = std::chrono::seconds(35);

}  // namespace

OutputIntake::OutputIntake(const JobContext& context) : context_(context) {
  const CoordinatorPorts& ports = context_.ports;
  if (!ports.backend.capabilities.shares_filesystem)
    mirror_.emplace(ports.keeper, context_.ledger.submission().spec.logs.max_bytes);
}

std::string OutputIntake::path(Attempt attempt, const PlannedRank& rank, OutputStream stream) const {
  const Submission& submission = context_.ledger.submission();
  const Result<std::string> path =
      context_.ports.output.path(submission.id, attempt, rank_file(submission.spec, rank), stream);
  if (path.ok()) return *path;
  context_.ports.log.error(submission.name + ": " + path.status().message());
  return "";
}

std::string OutputIntake::told_path(Attempt attempt, const PlannedRank& rank, OutputStream stream) const {
  return mirror_ ? output_name(context_.ledger.submission(), attempt, rank, stream) : path(attempt, rank, stream);
}

std::string OutputIntake::waits_for() const {
  constexpr std::string_view kVerb = "waits for ";
  static_assert(kOutputWaits.starts_with(kVerb));
  if (context_.ledger.done()) return "";
  for (const auto& [index, node] : context_.nodes.all()) {
    if (node.report.trouble.starts_with(kOutputWaits)) return node.report.trouble.substr(kVerb.size());
  }
  return "";
}

// The plan says which node a file belongs to. Paths are never taken from a message.
bool OutputIntake::is_of(NodeIndex node, const OutputFile& file) const {
  if (!mirror_ || file.attempt == 0 || file.attempt > context_.ledger.attempt_on(node)) return false;
  const std::vector<PlannedRank>& ranks = context_.ledger.fold().plan_of(file.attempt).ranks;
  return file.index < ranks.size() && ranks[file.index].node == node;
}

void OutputIntake::linked(NodeIndex node) {
  if (mirror_) mirror_->linked([this, node](const OutputFile& file) { return is_of(node, file); });
}

void OutputIntake::heard(NodeIndex index, const OutputBytes& bytes) {
  AgentNode& node = context_.nodes.get(index);
  if (!is_of(index, bytes.file)) {
    if (!std::exchange(node.strange, true))
      context_.ports.log.warning(context_.ledger.submission().name + ": node " + std::to_string(index) +
                                 " sent output of a rank that it does not run");
    return;
  }
  const OutputFile& file = bytes.file;
  if (!mirror_->knows(file)) {
    const PlannedRank& rank = context_.ledger.fold().plan_of(file.attempt).ranks[file.index];
    mirror_->add(file, {path(file.attempt, rank, OutputStream::out), path(file.attempt, rank, OutputStream::err),
                        path(file.attempt, rank, OutputStream::setup)});
  }
  const OutputMirror::Heard heard = mirror_->heard(bytes);
  const auto pending = pending_releases_.find(index);
  if (heard.wrote && pending != pending_releases_.end()) pending->second.since = context_.ports.loop.now();
  if (heard.answer && node.channel) node.channel->send(*heard.answer);
  if (!heard.trouble.empty()) context_.core.remark(heard.trouble, true);
}

void OutputIntake::remark_on(const Report& report) {
  if (context_.ledger.done() && !mirror_) return;
  for (const std::string& sentence : remarks_.heard(context_.ledger.submission(), report))
    context_.core.remark(sentence, true);
}

void OutputIntake::beat() {
  if (!mirror_) return;
  const OutputMirror::Beat beat = mirror_->beat(context_.ports.loop.now());
  for (const OutputTaken& again : beat.again)
    context_.nodes.send(context_.ledger.fold().plan_of(again.file.attempt).ranks[again.file.index].node, again);
  for (const std::string& trouble : beat.troubles) context_.core.remark(trouble, true);
  const std::map<NodeIndex, PendingRelease> staying = pending_releases_;
  for (const auto& [index, pending] : staying) {
    if (context_.ports.loop.now() - pending.since >= kNoOutput)
      lose(index, "nothing arrived for " + humane_duration(kNoOutput));
  }
}

bool OutputIntake::holds(NodeIndex index) {
  const AgentNode* node = context_.nodes.find(index);
  const bool over = context_.ledger.state_of(index).phase == job::Phase::done;
  if (!mirror_ || !over || node == nullptr || node->report.output_left == 0) return false;
  pending_releases_[index] = {node->incarnation, context_.ports.loop.now()};
  return true;
}

void OutputIntake::note_left(NodeIndex index, uint64_t before) {
  const auto pending = pending_releases_.find(index);
  const uint64_t left = context_.nodes.get(index).report.output_left;
  if (pending != pending_releases_.end() && left == 0) {
    pending_releases_.erase(pending);
    context_.core.release(index);
  }
  // Viewers wait for the rest of an ended attempt's output.
  if (mirror_ && before > 0 && left == 0) context_.core.changed();
}

// Ranks that ran at the agent's last report may have printed more since. The next agent on that host looks for it.
void OutputIntake::lose(NodeIndex index, const std::string& why) {
  if (!mirror_) return;
  AgentNode* node = context_.nodes.find(index);
  const bool ran = node != nullptr && node->report.attempt > 0 && !node->report.quiet;
  const uint64_t left = node == nullptr ? 0 : std::exchange(node->report.output_left, 0);
  const bool stayed = pending_releases_.erase(index) > 0;
  if (left > 0 || ran) {
    const Submission& submission = context_.ledger.submission();
    const std::string host = submission.plan.nodes[index].host;
    const std::string what = left > 0 ? humane_size(left) + " of rank output on " + host + " is missing: "
                                      : "the last rank output on " + host + " may be missing: ";
    const std::string where =
        "; until another attempt runs there, " + host + " keeps it in muster's cache, in jobs/" + submission.id.text();
    const bool fixed = context_.ports.backend.capabilities.fixed_hosts;
    context_.core.remark(what + why + (fixed ? where : ""), true);
  }
  if (stayed) context_.core.release(index);
}

void OutputIntake::forget() {
  const std::map<NodeIndex, PendingRelease> staying = std::exchange(pending_releases_, {});
  mirror_.reset();
  for (const auto& [index, pending] : staying) context_.core.release(index);
}

bool OutputIntake::has_all(const BegunAttempt& attempt) const {
  const auto& nodes = context_.nodes.all();
  return std::none_of(nodes.begin(), nodes.end(), [&](const auto& entry) {
    const Report& report = entry.second.report;
    const bool of_gang = context_.ledger.gang_of(entry.first) == attempt.gang;
    return mirror_ && of_gang && report.output_left > 0 && report.output_attempt <= attempt.attempt;
  });
}

std::optional<NodeIndex> OutputIntake::staying_node(Incarnation incarnation) const {
  for (const auto& [index, pending] : pending_releases_) {
    if (pending.incarnation == incarnation) return index;
  }
  return std::nullopt;
}

}  // namespace muster
