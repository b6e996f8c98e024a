// Coordinator, its nodes: agents that arrive and return, what they say, and those that fall silent.
#include <algorithm>

#include "core/attempt/hidden_secrets.h"
#include "core/base/text.h"
#include "core/coordinator/coordinator.h"
#include "core/coordinator/reported.h"
#include "core/journal/journal_copy.h"
#include "core/machine/vigil/rank.h"
#include "core/port/send_away.h"

namespace muster {
namespace {

// Longer than an agent takes to kill, sweep and tell.
constexpr Duration kHangs = std::chrono::seconds(15);
// A deputy that has heard nothing for kDeputyPatience kills its ranks; this much later they are dead.
constexpr Duration kDeputyLost = kDeputyPatience + std::chrono::seconds(4);
// After a kill, with a host that is not reached: its link may be about to come back.
constexpr Duration kPassedOver = std::chrono::seconds(3);
// A deputy repeats its agent's report every beat: after this long its host is in doubt.
constexpr Duration kDoubtful = std::chrono::seconds(3);

}  // namespace

BindTerms Coordinator::terms(NodeIndex node) {
  BindTerms terms;
  terms.address = ports_.backend.placement.address({fold_.submission().id, node});
  terms.linger = linger_;
  terms.own_environment = ports_.backend.capabilities.own_environment;
  terms.sends_output = mirror_.has_value();
  terms.attempt = job::attempt_on(fold_.state(), node);
  if (!fold_.submission().spec.setup.empty()) terms.setup_output = setup_output(terms.attempt, node);
  if (ports_.backend.capabilities.fixed_hosts) return terms;
  terms.lease = kLease;
  return terms;
}

// Reports and wishes. Those that a lease or a deputy's patience stands on are repeated each beat.
uint32_t Coordinator::beats_between_levels(const Node& node) const {
  if (node.deputy || !ports_.backend.capabilities.fixed_hosts) return 1;
  return beats_between(vigil::between_looks(fold_.submission().spec.hangs.after));
}

void Coordinator::withdraw() {
  for (NodeIndex n = 0; n < fold_.state().nodes.size(); ++n) {
    if (fold_.state().nodes[n].phase != job::NodeState::Phase::absent) release(n);
  }
}

// An agent that is not bound yet is bound first.
void Coordinator::connect(NodeIndex index, ArrivedAgent agent) {
  Node& node = nodes_[index];
  RendezvousDesk& desk = gang_of(index).rendezvous;
  desk.disconnect(node.number);
  node.channel = std::move(agent.channel);
  node.incarnation = agent.hello.incarnation;
  node.report = agent.hello.report;
  node.silent = 0;
  node.wishes.reset();
  const bool goes_on = kept_journal_ && kept_journal_->begins_with(agent.hello.snapshot);
  node.keeps = goes_on ? agent.hello.snapshot.size() : 0;
  node.number = desk.connect([channel = node.channel.get()](const RendezvousReply& reply) { channel->send(reply); });
  if (mirror_) mirror_->linked([this, index](const OutputFile& file) { return is_output_of(index, file); });
  node.channel->listen([this, index](const AgentMessage& message) { heard(index, message); },
                       [this, index](const Status& status) { channel_lost(index, status); });
  node.deputy = agent.hello.offer.has_value();
  if (node.deputy) deputies_.insert(index);
  if (agent.hello.job.empty())
    node.channel->send(bind_of(fold_.submission(), node.deputy ? JobSecrets() : told_, index, terms(index)));
  if (node.deputy) copy_journal(*node.channel, agent.hello.offer->lines);
}

// With what is wished goes what it stands on. Enough nodes keep it that some will live.
void Coordinator::add_journal(NodeIndex index, Wish& message) {
  constexpr NodeIndex kKeepers = 8;
  if (index >= kKeepers || !have_kept_journal()) return;
  Node& node = nodes_[index];
  message.kept = node.keeps;
  message.snapshot = kept_journal_->after(node.keeps);
  node.keeps += message.snapshot.size();
  if (kept_journal_->overflowed())
    remark("the job's journal has grown beyond what its agents keep, " + humane_size(KeptJournal::most) +
               ": should the coordinator's pod be lost, the next one knows the job as it was now",
           true);
}

bool Coordinator::have_kept_journal() {
  if (!ports_.backend.capabilities.agents_keep_journal || journal_.behind()) return false;
  if (kept_journal_) return true;
  auto lines = ports_.store.read(fold_.submission().id);
  if (!lines.ok()) return false;
  const auto pack = [this](const std::vector<std::string>& some) {
    return ports_.backend.journals->packed_journal(some);
  };
  kept_journal_.emplace(pack, std::move(*lines));
  for (auto& [index, node] : nodes_) node.keeps = 0;
  return true;
}

void Coordinator::copy_journal(ChannelToAgent& deputy, uint64_t from) {
  const auto lines = ports_.store.read(fold_.submission().id);
  if (!lines.ok()) return ports_.log.error("a copy of the journal: " + lines.status().message());
  JournalCopy copy;
  for (size_t i = from; i < lines->size(); ++i)
    copy.lines.push_back(i == 0 ? shared_line(lines->front()) : (*lines)[i]);
  deputy.send(copy);
}

std::optional<NodeIndex> Coordinator::node_of(Incarnation incarnation) const {
  const auto found = node_of_.find(incarnation);
  if (found == node_of_.end()) return std::nullopt;
  const job::NodeState& node = fold_.state().nodes[found->second];
  const bool still = node.phase == job::NodeState::Phase::up && node.incarnation == incarnation;
  return still ? std::optional(found->second) : std::nullopt;
}

void Coordinator::agent_returned(ArrivedAgent agent) {
  const job::State& state = fold_.state();
  const std::optional<NodeIndex> live = node_of(agent.hello.incarnation);
  const std::optional<NodeIndex> index = live ? live : staying_node(agent.hello.incarnation);
  const bool as_bound = agent.hello.job.empty() || agent.hello.node == index;
  // A deputy stands for its own node only, and an agent for none of a deputy's: what one is told, the other must not hear.
  const auto known = index ? nodes_.find(*index) : nodes_.end();
  const bool as_before = known == nodes_.end() || known->second.deputy == agent.hello.offer.has_value();
  // An agent that has seen a later attempt than the journal (which was damaged, then): it would obey us no more.
  const bool ours = index && as_bound && as_before && agent.hello.report.attempt <= job::attempt_on(state, *index);
  if (!ours) return send_away(ports_.loop, std::move(agent.channel));
  const Report report = agent.hello.report;
  connect(*index, std::move(agent));
  wish_again(*index);
  heard_report(*index, report);
}

void Coordinator::channel_lost(NodeIndex node, const Status& status) {
  // Not the end of the node: its backend tells when nothing there can be alive.
  ports_.log.info(fold_.submission().name + ": channel to node " + std::to_string(node) +
                  " closed: " + status.message());
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  gang_of(node).rendezvous.disconnect(found->second.number);
  found->second.channel.reset();
  guests_.lost(node, done() ? "its job has ended" : "the link to its node was lost");
  if (found->second.deputy) happen(job::LinkDown{node});
}

void Coordinator::heard(NodeIndex node, const AgentMessage& message) {
  if (const auto* report = std::get_if<Report>(&message)) {
    const bool overtaken = report->beat <= nodes_[node].report.beat;
    return overtaken ? void() : heard_report(node, *report);
  }
  if (const auto* request = std::get_if<RendezvousRequest>(&message)) asked(node, *request);
  if (const auto* leave = std::get_if<Leave>(&message)) left(node, *leave);
  if (const auto* guest = std::get_if<GuestFrame>(&message)) guests_.heard(node, *guest);
  if (const auto* output = std::get_if<OutputBytes>(&message)) heard_output(node, *output);
}

void Coordinator::left(NodeIndex node, const Leave& leave) {
  const std::string why = escaped(leave.why);
  // An agent says so when its ranks have ended and what they printed is here.
  if (!nodes_[node].deputy) nodes_[node].report.quiet = true;
  if (!leave.stop_job) return give_up(node, why);
  const bool kill = leave.signal == SIGKILL;
  happen(job::StopAsked{kill ? Duration(0) : leave.grace, why, kill ? SIGTERM : leave.signal, node});
}

void Coordinator::asked(NodeIndex node, const RendezvousRequest& request) {
  const std::vector<PlannedRank>& ranks = fold_.submission().plan.ranks;
  const bool its_own = request.index < ranks.size() && ranks[request.index].node == node;
  if (its_own) return gang_of(node).rendezvous.ask(nodes_[node].number, request);
  nodes_[node].channel->send(RendezvousReply{request.id, {no_such_rank(request.index), "", {}}});
}

void Coordinator::heard_report(NodeIndex node, const Report& told) {
  std::optional<Report> hidden;
  const Report& report = secrets_.secrets.empty() ? told : hidden.emplace(without_secrets(told, secrets_.secrets));
  const uint64_t output_before = nodes_[node].report.output_left;
  const bool other_setup = nodes_[node].report.setup != report.setup;
  nodes_[node].report = report;
  nodes_[node].silent = 0;
  const std::optional<JobProgress> before = progress();
  gang_of(node).meter.heard(ports_.loop.now(), report.attempt, report.ranks);
  if (changed_ && (other_setup || progress() != before)) changed_();
  if (!done() || mirror_) {
    for (const std::string& sentence : output_remarks_.heard(fold_.submission(), report)) remark(sentence, true);
  }
  if (report.attempt == job::attempt_on(fold_.state(), node)) {
    for (const RankReport& rank : report.ranks) terminal_ready(report.attempt, rank);
  }
  const std::shared_ptr<bool> alive = alive_;
  happen(reported(node, nodes_[node].incarnation, report));
  if (*alive) note_working(node, report);
  if (*alive) watch(node, report);
  if (*alive) note_output(node, output_before);
}

// As the node of the gang's first rank tells, which serves the store of all where there is one.
void Coordinator::note_working(NodeIndex node, const Report& report) {
  const uint32_t number = job::gang_of(fold_.state(), node);
  const job::State& gang = job::gang_at(fold_.state(), number);
  const bool tells = gang.all_running && report.attempt == gang.attempt && report.met != TimePoint();
  if (!tells || done() || fold_.works(number, gang.attempt)) return;
  const auto& ranks = fold_.submission().plan.ranks;
  const auto first = std::find_if(ranks.begin(), ranks.end(), [&](const PlannedRank& rank) {
    return job::gang_of(fold_.state(), rank.node) == number;
  });
  if (first == ranks.end() || first->node != node) return;
  const TimePoint at = now();
  const Working working{gang.attempt, number, report.met, report.importing};
  journal(at, working, false);
  fold_.take(at, working);
}

// Where nodes can be replaced, the agent's lease has ended by now, and with it its ranks.
bool Coordinator::is_lost(const Node& node) const {
  if (node.deputy) return node.silent * kBeat > kDeputyLost;
  if (ports_.backend.capabilities.fixed_hosts) return false;
  return node.silent * kBeat > kLease + fold_.submission().spec.restarts.grace + kLeaseMargin;
}

// An agent that is to stop its ranks and says nothing, long after it should be done. One on another machine whose link is
// lost has not heard of it: it is waited for, with what its ranks printed.
bool Coordinator::hangs(NodeIndex index, const Node& node) const {
  const job::State& state = state_of(index);
  if (!node.channel && !ports_.backend.capabilities.shares_filesystem) return false;
  return state.phase == job::Phase::stopping && !fold_.state().nodes[index].quiet &&
         node.silent * kBeat > state.grace + kHangs;
}

void Coordinator::judge_silent_nodes() {
  std::vector<NodeIndex> lost;
  std::vector<NodeIndex> doubted;
  for (auto& [index, node] : nodes_) {
    if (done() || fold_.state().nodes[index].phase != job::NodeState::Phase::up) continue;
    ++node.silent;
    if (is_lost(node)) lost.push_back(index);
    if (node.deputy && node.silent * kBeat == kDoubtful) doubted.push_back(index);
    if (hangs(index, node)) ports_.backend.placement.end({fold_.submission().id, index});
  }
  for (const NodeIndex node : doubted) happen(job::LinkDown{node});
  for (const NodeIndex node : lost)
    give_up(node, "nothing was heard of it for " + humane_duration(nodes_[node].silent * kBeat));
}

// Killed by the user, or with no grace: nobody waits for what is not reached.
bool Coordinator::hurries(NodeIndex index) const {
  const job::State& state = state_of(index);
  const bool last = state.then == job::Then::cancelled || state.then == job::Then::failed;
  return state.phase == job::Phase::stopping && last && state.grace <= Duration(0);
}

// Where hosts are fixed a link may come back for as long as its job lives. Their backend ends what runs there once they are reached.
void Coordinator::pass_over_unreached() {
  const bool fixed = ports_.backend.capabilities.fixed_hosts && !ports_.backend.capabilities.shares_filesystem;
  if (!fixed || (gangs_.size() == 1 && fold_.state().phase != job::Phase::stopping)) return unreached_.clear();
  std::vector<NodeIndex> away;
  for (NodeIndex index = 0; index < fold_.state().nodes.size(); ++index) {
    const job::NodeState& node = fold_.state().nodes[index];
    const auto known = nodes_.find(index);
    const bool linked = known != nodes_.end() && known->second.channel;
    const bool up = node.phase == job::NodeState::Phase::up && !node.quiet && !node.doubted;
    if (!up || linked || !hurries(index)) {
      unreached_.erase(index);
    } else if (++unreached_[index] * kBeat >= kPassedOver) {
      away.push_back(index);
    }
  }
  for (const NodeIndex index : away) happen(job::LinkDown{index});
}

void Coordinator::give_up(NodeIndex node, const std::string& why) {
  gang_of(node).rendezvous.disconnect(nodes_[node].number);
  if (mirror_) lose_output(node, why);
  nodes_.erase(node);
  ports_.backend.placement.release({fold_.submission().id, node});
  happen(job::NodeLost{node, why, ports_.backend.capabilities.takes_nodes});
}

}  // namespace muster
