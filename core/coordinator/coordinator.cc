// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/coordinator.h"

#include <algorithm>
#include <csignal>

#include "core/base/text.h"
#include "core/coordinator/live_view.h"
#include "core/coordinator/reported.h"
#include "core/machine/watchdog/rank.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// Heartbeats between two repeats of an unchanged report or desired state. If they renew a lease, they are sent every heartbeat.
uint32_t relaxed_beats(const CoordinatorPorts& ports, const JobSpec& spec) {
  return ports.backend.capabilities.fixed_hosts ? beats_between(watchdog::between_looks(spec.hangs.after)) : 1;
}

}  // namespace

Coordinator::Coordinator(CoordinatorPorts ports, JobFold fold, JobSecrets secrets, bool linger)
    : ports_(ports),
      secrets_(std::move(secrets)),
      hidden_(secrets_.secrets),
      ledger_(ports.loop, ports.store, ports.log, std::move(fold)),
      gangs_(JobContext{*this, ports_, ledger_, nodes_}),
      nodes_(relaxed_beats(ports, ledger_.submission().spec)),
      endpoints_(JobContext{*this, ports_, ledger_, nodes_}),
      copies_(JobContext{*this, ports_, ledger_, nodes_}),
      output_(JobContext{*this, ports_, ledger_, nodes_}),
      hangs_(JobContext{*this, ports_, ledger_, nodes_}, gangs_),
      silence_(JobContext{*this, ports_, ledger_, nodes_}),
      orders_(JobContext{*this, ports_, ledger_, nodes_}, OrderSources{gangs_, hangs_, output_, endpoints_, copies_},
              secrets_, linger),
      execs_(JobContext{*this, ports_, ledger_, nodes_}),
      terminal_(JobContext{*this, ports_, ledger_, nodes_}),
      timers_(JobContext{*this, ports_, ledger_, nodes_}) {
  ledger_.on_entry([this](TimePoint at, const JournalEntry& entry) { copies_.written(at, entry); });
  for (NodeIndex n = 0; n < ledger_.state().nodes.size(); ++n) know(n);
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kHeartbeat), [this] { beat(); });
}

Coordinator::~Coordinator() {
  *alive_ = false;
  ports_.loop.cancel(beat_timer_);
}

void Coordinator::begin(std::vector<job::Action> actions) { perform_all(actions); }

void Coordinator::know(NodeIndex node) {
  const job::NodeState& state = ledger_.state().nodes[node];
  if (state.phase == job::NodeState::Phase::up) nodes_.know(state.incarnation, node);
}

void Coordinator::take_over() {
  const job::State& state = ledger_.state();
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    if (state.nodes[n].phase != job::NodeState::Phase::up) continue;
    nodes_.get(n);  // its silence is counted from now on
    ports_.backend.placement.adopt(ledger_.ref_of(n), state.nodes[n].token);
  }
  for (uint32_t g = 0; g < gangs_.count(); ++g) {
    const job::State& gang = ledger_.gang(g);
    if (gang.phase != job::Phase::running) continue;
    endpoints_.choose(g, gang.attempt);
    gangs_.begin(g, gang.attempt, true);
  }
  begin(job::standing_actions(state));
}

void Coordinator::happen(const job::Event& event) {
  const std::optional<std::vector<job::Action>> actions = ledger_.take(event);
  if (!actions) return;
  if (const auto* up = std::get_if<job::NodeUp>(&event)) know(up->node);
  const std::shared_ptr<bool> alive = alive_;
  perform_all(*actions);
  if (*alive) changed();
}

void Coordinator::changed() {
  if (changed_) changed_();
}

void Coordinator::remark(const std::string& sentence, bool trouble) {
  ledger_.note(Remark{sentence, trouble});
  changed();
}

void Coordinator::note_code(const std::string& commit) {
  ledger_.note(CodeNoted{commit});
  changed();
}

void Coordinator::replan(const Plan& plan) {
  if (plan != ledger_.submission().plan) ledger_.note(Replanned{plan});
}

void Coordinator::arrange(const Arranged& arranged) {
  ledger_.note(arranged, true);
  changed();
}

void Coordinator::waits_for(const std::string& what, uint32_t place) {
  queue_place_ = place;
  if (what == waits_for_) return;
  waits_for_ = what;
  changed();
}

void Coordinator::perform_all(const std::vector<job::Action>& actions) {
  endpoints_.forget_addresses();
  for (const job::Action& action : actions) std::visit([this](const auto& each) { act(each); }, action);
}

void Coordinator::act(const job::Place& action) {
  ports_.backend.placement.place(ledger_.ref_of(action.node),
                                 [this, alive = alive_, node = action.node](Result<PlacedAgent> agent) {
                                   if (*alive) placed(node, std::move(agent));
                                 });
}

void Coordinator::act(const job::Release& action) {
  if (!output_.holds(action.node)) release(action.node);
}

void Coordinator::act(const job::BeginAttempt& action) {
  endpoints_.choose(action.gang, action.attempt);
  gangs_.begin(action.gang, action.attempt, false);
}

void Coordinator::withdraw() {
  for (NodeIndex n = 0; n < ledger_.state().nodes.size(); ++n) {
    if (ledger_.state().nodes[n].phase != job::NodeState::Phase::absent) release(n);
  }
}

void Coordinator::placed(NodeIndex node, Result<PlacedAgent> agent) {
  if (!agent.ok()) return happen(job::PlaceFailed{node, agent.status().message()});
  if (ledger_.state_of(node).phase == job::Phase::done) return;
  const Hello& hello = agent->agent.hello;
  job::NodeUp up{node, hello.incarnation, agent->token, "", 0, agent->code_took};
  if (hello.offer) {
    up.host = hello.host;
    up.ranks = hello.offer->ranks;
    up.role = hello.offer->role;
  }
  connect(node, std::move(agent->agent));
  happen(up);
}

// Binds the agent first if it is not bound yet.
void Coordinator::connect(NodeIndex index, ArrivedAgent agent) {
  AgentNode& node = nodes_.get(index);
  gangs_.disconnect(index);
  execs_.lost(index, "the agent of the rank's node connected again");
  node.channel = std::move(agent.channel);
  node.incarnation = agent.hello.incarnation;
  node.report = agent.hello.report;
  node.silent = 0;
  orders_.connected(index);
  copies_.connected(index, agent.hello.snapshot);
  gangs_.connect(index, *node.channel);
  output_.linked(index);
  node.channel->listen([this, index](const AgentMessage& message) { heard(index, message); },
                       [this, index](const Status& status) { channel_lost(index, status); });
  node.proxy = agent.hello.offer.has_value();
  if (agent.hello.job.empty()) orders_.bind(index);
  if (node.proxy) copies_.copy_to_proxy(index, agent.hello.offer->lines);
}

std::optional<NodeIndex> Coordinator::node_of(Incarnation incarnation) const {
  const std::optional<NodeIndex> known = nodes_.known(incarnation);
  if (!known) return std::nullopt;
  const job::NodeState& node = ledger_.state().nodes[*known];
  const bool still = node.phase == job::NodeState::Phase::up && node.incarnation == incarnation;
  return still ? known : std::nullopt;
}

void Coordinator::agent_returned(ArrivedAgent agent) {
  const std::optional<NodeIndex> live = node_of(agent.hello.incarnation);
  const std::optional<NodeIndex> index = live ? live : output_.staying_node(agent.hello.incarnation);
  const bool as_bound = agent.hello.job.empty() || agent.hello.node == index;
  // A node keeps its kind: a coordinator proxy cannot connect for the node of an agent, nor an agent for that of a proxy. Each
  // must not receive the messages of the other.
  const AgentNode* known = index ? nodes_.find(*index) : nullptr;
  const bool as_before = known == nullptr || known->proxy == agent.hello.offer.has_value();
  // If the agent has seen a later attempt than the journal, the journal was damaged, and the agent would ignore our attempts.
  const bool ours = index && as_bound && as_before && agent.hello.report.attempt <= ledger_.attempt_on(*index);
  if (!ours) return dismiss_agent(ports_.loop, std::move(agent.channel));
  const Report report = agent.hello.report;
  connect(*index, std::move(agent));
  orders_.send_again(*index);
  heard_report(*index, report);
}

void Coordinator::channel_lost(NodeIndex index, const Status& status) {
  // The node is not lost yet: its backend reports when no process there can be alive.
  ports_.log.info(ledger_.submission().name + ": lost the link to node " + std::to_string(index) + ": " +
                  status.message());
  AgentNode* node = nodes_.find(index);
  if (node == nullptr) return;
  gangs_.disconnect(index);
  node->channel.reset();
  execs_.lost(index, done() ? "the job has ended" : "the link to the rank's node was lost");
  if (node->proxy) happen(job::LinkDown{index});
}

void Coordinator::heard(NodeIndex node, const AgentMessage& message) {
  if (const auto* report = std::get_if<Report>(&message)) {
    const bool overtaken = report->beat <= nodes_.get(node).report.beat;
    return overtaken ? void() : heard_report(node, *report);
  }
  if (const auto* request = std::get_if<RendezvousRequest>(&message)) gangs_.ask(node, *request);
  if (const auto* leave = std::get_if<Leave>(&message)) left(node, *leave);
  if (const auto* exec = std::get_if<ExecFrame>(&message)) execs_.heard(node, *exec);
  if (const auto* peer = std::get_if<PeerExec>(&message)) execs_.heard_peer(node, peer->frame);
  if (const auto* output = std::get_if<OutputBytes>(&message)) output_.heard(node, *output);
}

void Coordinator::left(NodeIndex index, const Leave& leave) {
  const std::string why = escaped(leave.why);
  AgentNode& node = nodes_.get(index);
  // An agent sends Leave when its ranks have ended and their output was sent.
  if (!node.proxy) node.report.quiet = true;
  if (!leave.stop_job) return give_up(index, why);
  const bool kill = leave.signal == SIGKILL;
  happen(job::StopAsked{kill ? Duration(0) : leave.grace, why, kill ? SIGTERM : leave.signal, index});
}

void Coordinator::heard_report(NodeIndex index, const Report& told) {
  std::optional<Report> hidden;
  const Report& report = hidden_.empty() ? told : hidden.emplace(hidden_.hide(told));
  AgentNode& node = nodes_.get(index);
  const uint64_t output_before = node.report.output_left;
  const bool other_setup = node.report.setup != report.setup;
  const bool first_ports = node.report.ports.empty() && !report.ports.empty();
  node.report = report;
  node.silent = 0;
  const std::optional<JobProgress> before = gangs_.progress();
  gangs_.heard(index, report);
  if (other_setup || gangs_.progress() != before) changed();
  output_.remark_on(report);
  if (report.attempt == ledger_.attempt_on(index)) terminal_.heard(report);
  const std::shared_ptr<bool> alive = alive_;
  happen(reported(index, nodes_.get(index).incarnation, report, ledger_.state_of(index)));
  if (*alive) note_working(index, report);
  if (*alive) hangs_.heard(index, report);
  if (*alive) output_.note_left(index, output_before);
  if (*alive && first_ports) orders_.ports_came(index);
}

// Uses the report of the node with the gang's first rank, which serves the torch store if there is one.
void Coordinator::note_working(NodeIndex node, const Report& report) {
  const uint32_t number = ledger_.gang_of(node);
  const job::State& gang = ledger_.gang(number);
  const bool tells = gang.all_running && report.attempt == gang.attempt && report.met != TimePoint();
  if (!tells || done() || fold().works(number, gang.attempt)) return;
  const auto& ranks = ledger_.submission().plan.ranks;
  const auto first = std::find_if(ranks.begin(), ranks.end(),
                                  [&](const PlannedRank& rank) { return ledger_.gang_of(rank.node) == number; });
  if (first == ranks.end() || first->node != node) return;
  ledger_.note(Working{gang.attempt, number, report.met, report.importing});
}

void Coordinator::lost(NodeIndex node, const std::string& reason) {
  output_.lose(node, reason);
  happen(job::NodeLost{node, reason});
}

void Coordinator::give_up(NodeIndex node, const std::string& why) {
  gangs_.disconnect(node);
  output_.lose(node, why);
  nodes_.erase(node);
  ports_.backend.placement.release(ledger_.ref_of(node));
  happen(job::NodeLost{node, why, ports_.backend.capabilities.takes_nodes});
}

// Tried again with each heartbeat.
void Coordinator::catch_up() {
  const bool told = may_tell_end();
  static_cast<void>(ledger_.catch_up());
  if (told != may_tell_end()) changed();
}

void Coordinator::beat() {
  catch_up();
  silence_.beat();
  output_.beat();
  hangs_.beat();
  orders_.send_again(std::nullopt);
  copies_.speak();
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kHeartbeat), [this] { beat(); });
}

JobView Coordinator::view() const {
  JobView view = fold().view();
  const job::Phase phase = ledger_.state().phase;
  if (phase == job::Phase::queued) {
    view.waits_for = waits_for_;
    view.queue_place = queue_place_;
  }
  if (phase == job::Phase::placing) view.waits_for = setup_under_way(ledger_.submission().plan, nodes_);
  if (view.waits_for.empty()) view.waits_for = output_.waits_for();
  if (ledger_.done() && !may_tell_end()) {
    view.done = false;
    view.state = "stopping";
    view.ended = TimePoint();
    view.waits_for = ledger_.end_waits_for();
  }
  const std::optional<JobProgress> told = gangs_.progress();
  if (told && (!view.progress || gangs_.count() > 1)) view.progress = told;
  add_live_ranks(fold(), nodes_, view);
  hangs_.add_to(view);
  silence_.add_to(view);
  if (const HostReach* reach = ports_.backend.reach) view.asking_hosts = reach->asking_hosts(ledger_.submission().id);
  return view;
}

}  // namespace muster
