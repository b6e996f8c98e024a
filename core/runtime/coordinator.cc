#include "core/runtime/coordinator.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

// Keys typed before the rank of the terminal runs.
constexpr size_t kTypeAhead = 64 * 1024;

job::RankFact fact_of(const RankReport& rank) {
  job::RankFact fact;
  fact.index = rank.index;
  fact.exit = rank.exit;
  fact.ended = rank.ended;
  switch (rank.phase) {
    case RankPhase::starting: fact.phase = job::RankFact::Phase::starting; break;
    case RankPhase::running: fact.phase = job::RankFact::Phase::running; break;
    case RankPhase::stopping: fact.phase = job::RankFact::Phase::stopping; break;
    case RankPhase::exited: fact.phase = job::RankFact::Phase::exited; break;
  }
  return fact;
}

// The channel lives until the farewell has arrived: what is under way when it closes is lost (agent_channel.h).
void send_away(Loop& loop, std::unique_ptr<ChannelToAgent> channel) {
  constexpr Duration kFarewell = std::chrono::seconds(2);
  channel->send(Dismiss{});
  loop.at(loop.now() + kFarewell, [gone = std::shared_ptr<ChannelToAgent>(std::move(channel))] {});
}

job::Reported event_of(NodeIndex node, Incarnation incarnation, const Report& report) {
  job::Reported event{node, incarnation, report.attempt, report.quiet, {}};
  for (const RankReport& rank : report.ranks) event.ranks.push_back(fact_of(rank));
  return event;
}

// Must be on the disk before anybody acts on it (DESIGN.md §9.3): a new attempt, and the end, which is final.
bool must_last(const job::State& before, const job::State& after) {
  return after.attempt != before.attempt || after.phase == job::Phase::done;
}

}  // namespace

Coordinator::Coordinator(CoordinatorPorts ports, JobFold fold, JobSecrets secrets, bool linger)
    : ports_(ports),
      fold_(std::move(fold)),
      secrets_(std::move(secrets)),
      linger_(linger) {
  beat_ = ports_.loop.at(now() + kBeat, [this] { repeat_wishes(); });
}

Coordinator::~Coordinator() {
  *alive_ = false;
  for (const auto& [timer, id] : timers_) ports_.loop.cancel(id);
  ports_.loop.cancel(rendezvous_timer_);
  ports_.loop.cancel(beat_);
}

TimePoint Coordinator::now() const { return std::max(ports_.loop.now(), fold_.last_time()); }

void Coordinator::begin(std::vector<job::Action> actions) {
  for (const job::Action& action : actions) perform(action);
}

void Coordinator::take_over() {
  const job::State& state = fold_.state();
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    if (state.nodes[n].phase != job::NodeState::Phase::up) continue;
    ports_.backend.adopt({fold_.submission().id, n}, state.nodes[n].token);
  }
  if (state.phase == job::Phase::running) act(job::BeginAttempt{state.attempt});
  begin(job::standing_actions(state));
}

void Coordinator::happen(const job::Event& event) {
  const TimePoint at = now();
  std::optional<job::Step> step = fold_.consider(at, event);
  if (!step) return;
  journal(at, event, must_last(fold_.state(), step->next));
  const std::vector<job::Action> actions = step->actions;
  fold_.take(at, event, std::move(*step));
  const std::shared_ptr<bool> alive = alive_;
  for (const job::Action& action : actions) perform(action);
  if (*alive && changed_) changed_();
}

void Coordinator::remark(const std::string& sentence) {
  const TimePoint at = now();
  journal(at, Remark{sentence}, false);
  fold_.take(at, Remark{sentence});
  if (changed_) changed_();
}

void Coordinator::replan(const Plan& plan) {
  if (plan == fold_.submission().plan) return;
  const TimePoint at = now();
  journal(at, Replanned{plan}, false);
  fold_.take(at, Replanned{plan});
}

void Coordinator::waits_for(const std::string& what) {
  if (what == waits_for_) return;
  waits_for_ = what;
  if (changed_) changed_();
}

// A journal that cannot be written does not end what runs, and is remarked once; but no attempt begins (send_wish). What could not be
// written is written as soon as it can be, in its order: a journal with a gap would tell of another job.
void Coordinator::journal(TimePoint at, const JournalEntry& entry, bool sync) {
  unwritten_.push_back(encode_line({at, entry}));
  const Status status = write_journal(sync);
  if (status.ok() || std::exchange(journal_broken_, true)) return;
  ports_.log.error("journal of " + fold_.submission().name + ": " + status.message());
  const Remark remark{"the job's journal cannot be written (" + status.message() +
                      "); what runs goes on, but is not restarted until there is room"};
  unwritten_.push_front(encode_line({at, remark}));
  fold_.take(at, remark);
}

Status Coordinator::write_journal(bool sync) {
  while (!unwritten_.empty()) {
    const bool last = unwritten_.size() == 1;
    const Status status = ports_.store.append(fold_.submission().id, unwritten_.front(), sync && last);
    if (!status.ok()) return status;
    unwritten_.pop_front();
  }
  journal_broken_ = false;
  return Status();
}

void Coordinator::perform(const job::Action& action) {
  std::visit([this](const auto& each) { act(each); }, action);
}

void Coordinator::act(const job::Place& action) {
  const NodeRef ref{fold_.submission().id, action.node};
  ports_.backend.place(ref, [this, alive = alive_, node = action.node](Result<PlacedAgent> agent) {
    if (*alive) placed(node, std::move(agent));
  });
}

void Coordinator::placed(NodeIndex node, Result<PlacedAgent> agent) {
  if (!agent.ok()) return happen(job::PlaceFailed{node, agent.status().message()});
  if (done()) return;
  const std::string token = agent->token;
  const Incarnation incarnation = agent->agent.hello.incarnation;
  connect(node, std::move(agent->agent));
  nodes_[node].channel->send(bind_of(fold_.submission(), secrets_, node, linger_));
  happen(job::NodeUp{node, incarnation, token});
}

void Coordinator::connect(NodeIndex index, ArrivedAgent agent) {
  Node& node = nodes_[index];
  if (node.serial != 0) ask(rendezvous::ChannelLost{node.serial});
  node.channel = std::move(agent.channel);
  node.incarnation = agent.hello.incarnation;
  node.report = agent.hello.report;
  node.serial = next_serial_++;
  node.channel->listen([this, index](const AgentMessage& message) { heard(index, message); },
                       [this, index](const Status& status) { channel_lost(index, status); });
}

void Coordinator::agent_returned(ArrivedAgent agent) {
  const NodeIndex index = agent.hello.node;
  const job::State& state = fold_.state();
  // An agent that has seen a later attempt than the journal (which was damaged, then): it would obey us no more.
  const bool ours = index < state.nodes.size() && state.nodes[index].phase == job::NodeState::Phase::up &&
                    state.nodes[index].incarnation == agent.hello.incarnation &&
                    agent.hello.report.attempt <= state.attempt;
  if (!ours) return send_away(ports_.loop, std::move(agent.channel));
  const Report report = agent.hello.report;
  connect(index, std::move(agent));
  for (const job::Action& action : job::standing_actions(state)) {
    const auto* wish = std::get_if<job::Wish>(&action);
    if (wish != nullptr && wish->node == index) act(*wish);
  }
  heard_report(index, report);
}

void Coordinator::channel_lost(NodeIndex node, const Status& status) {
  // Not the end of the node: its backend tells when nothing there can be alive.
  ports_.log.info(fold_.submission().name + ": channel to node " + std::to_string(node) +
                  " closed: " + status.message());
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  ask(rendezvous::ChannelLost{found->second.serial});
  found->second.channel.reset();
}

void Coordinator::heard(NodeIndex node, const AgentMessage& message) {
  if (const auto* report = std::get_if<Report>(&message)) return heard_report(node, *report);
  if (const auto* request = std::get_if<RendezvousRequest>(&message)) {
    const std::vector<PlannedRank>& ranks = fold_.submission().plan.ranks;
    if (request->index >= ranks.size() || ranks[request->index].node != node) return refuse(node, *request);
    const PlannedRank& rank = ranks[request->index];
    const uint32_t world = fold_.submission().spec.world == World::shared ? 0 : rank.group;
    ask(rendezvous::Asked{{nodes_[node].serial, request->id}, request->attempt, world, rank.world_rank, request->call});
  }
}

void Coordinator::refuse(NodeIndex node, const RendezvousRequest& request) {
  const Status stranger(Code::invalid_argument,
                        "this node runs no rank with MUSTER_INDEX " + std::to_string(request.index));
  nodes_[node].channel->send(RendezvousReply{request.id, {stranger, "", {}}});
}

void Coordinator::heard_report(NodeIndex node, const Report& report) {
  nodes_[node].report = report;
  for (const RankReport& rank : report.ranks) {
    note_dropped(rank);
    if (report.attempt == fold_.state().attempt) type_ahead(rank);
  }
  if (!report.trouble.empty() && troubles_.insert(report.trouble).second) remark(report.trouble);
  happen(event_of(node, nodes_[node].incarnation, report));
}

// Counted in the journal: when output is first dropped, and in sum when the rank has ended.
void Coordinator::note_dropped(const RankReport& rank) {
  const bool ended = rank.phase == RankPhase::exited;
  uint64_t& told = dropped_told_[{fold_.state().attempt, rank.index}];
  if (rank.dropped_bytes == told || (told > 0 && !ended) || rank.index >= fold_.state().rules.ranks.size()) return;
  told = rank.dropped_bytes;
  remark(humane_size(rank.dropped_bytes) + " of the output of " + fold_.state().rules.ranks[rank.index].name +
         " were dropped, the oldest first: logs.max is " + humane_size(fold_.submission().spec.logs.max_bytes));
}

void Coordinator::act(const job::Release& action) {
  wishes_.erase(action.node);
  const auto found = nodes_.find(action.node);
  if (found != nodes_.end() && found->second.channel) found->second.channel->send(Dismiss{});
  ports_.backend.release({fold_.submission().id, action.node});
}

void Coordinator::act(const job::Wish& action) {
  wishes_[action.node] = action;
  send_wish(action.node, action);
}

void Coordinator::send_wish(NodeIndex index, const job::Wish& wish) {
  const auto found = nodes_.find(index);
  if (found == nodes_.end() || !found->second.channel) return;
  Wish message;
  message.attempt = wish.attempt;
  message.run = wish.run;
  message.grace = wish.grace;
  const bool known = found->second.report.attempt >= wish.attempt;
  if (wish.run && !known) {
    // Nobody runs what a controller after us would not know of. The wish is repeated.
    if (!choose_endpoints(wish.attempt) || !unwritten_.empty()) return;
    message.tasks =
        tasks_of(fold_.submission(), secrets_, index, attempt_place(),
                 [this](const PlannedRank& rank, OutputStream stream) { return output_path(rank, stream); });
  }
  found->second.channel->send(message);
}

void Coordinator::repeat_wishes() {
  if (!unwritten_.empty()) static_cast<void>(write_journal(true));
  for (const auto& [node, wish] : wishes_) send_wish(node, wish);
  beat_ = ports_.loop.at(ports_.loop.now() + kBeat, [this] { repeat_wishes(); });
}

std::string Coordinator::output_path(const PlannedRank& rank, OutputStream stream) {
  const Submission& submission = fold_.submission();
  const Result<std::string> path =
      ports_.output.path(submission.id, fold_.state().attempt, rank_file(submission.spec, rank), stream);
  if (path.ok()) return *path;
  ports_.log.error(submission.name + ": " + path.status().message());
  return "";
}

AttemptPlace Coordinator::attempt_place() const {
  AttemptPlace place;
  place.attempt = fold_.state().attempt;
  place.restarts = place.attempt > 0 ? place.attempt - 1 : 0;
  place.job = fold_.submission().id;
  place.job_name = fold_.submission().name;
  place.endpoints = fold_.endpoints().endpoints;
  return place;
}

void Coordinator::act(const job::ArmTimer& action) {
  TimerId& timer = timers_[action.timer];
  ports_.loop.cancel(timer);
  timer = ports_.loop.at(action.at, [this, kind = action.timer] { happen(job::TimerFired{kind}); });
}

void Coordinator::act(const job::CancelTimer& action) {
  ports_.loop.cancel(timers_[action.timer]);
  timers_.erase(action.timer);
}

// The first node of each group hosts the group's service. False: one of them has yet to say which port it holds, as after a takeover.
bool Coordinator::choose_endpoints(Attempt attempt) {
  if (fold_.endpoints().attempt == attempt) return true;
  const Submission& submission = fold_.submission();
  AttemptEndpoints chosen{attempt, std::vector<AttemptPlace::Endpoint>(submission.spec.groups.size())};
  for (const PlannedNode& planned : submission.plan.nodes) {
    AttemptPlace::Endpoint& endpoint = chosen.endpoints[planned.group];
    if (endpoint.port != 0) continue;
    const auto node = nodes_.find(planned.node);
    if (node == nodes_.end()) return false;
    endpoint = {ports_.backend.address({submission.id, planned.node}), node->second.report.spare_port};
  }
  // Synced: with it everything that the wishes to come stand on, such as which agents are ours.
  const TimePoint at = now();
  journal(at, chosen, true);
  fold_.take(at, chosen);
  return true;
}

void Coordinator::act(const job::BeginAttempt& action) {
  const Submission& submission = fold_.submission();
  choose_endpoints(action.attempt);
  rendezvous::Begun begun{action.attempt, {}, "a new attempt began"};
  for (const PlannedRank& rank : submission.plan.ranks) {
    const uint32_t world = submission.spec.world == World::shared ? 0 : rank.group;
    if (begun.worlds.size() <= world) begun.worlds.resize(world + 1);
    begun.worlds[world].push_back(rank_name(submission.spec, rank) + " on " + submission.plan.nodes[rank.node].host);
  }
  ask(begun);
}

void Coordinator::act(const job::EndAttempt& action) { ask(rendezvous::Ended{action.attempt, action.why}); }

void Coordinator::act(const job::Finish&) {
  const Submission& submission = fold_.submission();
  JobRecord record{submission.id,          submission.name,     state_name(fold_.state()),
                   fold_.view().submitted, fold_.state().ended, submission.submit_key};
  const Status status = ports_.store.update(record);
  if (!status.ok()) ports_.log.error(submission.name + ": " + status.message());
}

void Coordinator::ask(const rendezvous::Event& event) {
  rendezvous::Step step = rendezvous::step(std::move(rendezvous_), ports_.loop.now(), event);
  rendezvous_ = std::move(step.next);
  for (const rendezvous::Action& action : step.actions) {
    if (const auto* answer = std::get_if<rendezvous::Answer>(&action)) {
      tell(*answer);
    } else if (const auto* timer = std::get_if<rendezvous::ArmTimer>(&action)) {
      ports_.loop.cancel(rendezvous_timer_);
      rendezvous_timer_ = ports_.loop.at(timer->at, [this] { ask(rendezvous::TimerFired{}); });
    }
  }
}

void Coordinator::tell(const rendezvous::Answer& answer) {
  for (const rendezvous::Asker& asker : answer.askers) {
    for (const auto& [index, node] : nodes_) {
      if (node.serial == asker.channel && node.channel) node.channel->send(RendezvousReply{asker.id, answer.answer});
    }
  }
}

// The window's size is told to every attempt; what is typed ahead of the rank waits for it.
void Coordinator::type(const TtyInput& typed) {
  if (typed.index >= fold_.submission().plan.ranks.size()) return;
  if (typed.rows > 0) std::tie(typed_.rows, typed_.columns) = std::tie(typed.rows, typed.columns);
  typed_.index = typed.index;
  if (typed_attempt_ == fold_.state().attempt) return send_typed(typed);
  if (typed_.bytes.size() + typed.bytes.size() <= kTypeAhead) typed_.bytes += typed.bytes;
}

void Coordinator::send_typed(const TtyInput& typed) {
  const auto node = nodes_.find(fold_.submission().plan.ranks[typed.index].node);
  if (node != nodes_.end() && node->second.channel) node->second.channel->send(typed);
}

void Coordinator::type_ahead(const RankReport& rank) {
  const bool ready = rank.phase == RankPhase::running && fold_.submission().spec.tty_rank == rank.index;
  if (!ready || typed_attempt_ == fold_.state().attempt) return;
  typed_attempt_ = fold_.state().attempt;
  typed_.index = rank.index;
  send_typed(typed_);
  typed_.bytes.clear();
}

JobView Coordinator::view() const {
  JobView view = fold_.view();
  if (fold_.state().phase == job::Phase::queued) view.waits_for = waits_for_;
  for (const auto& [index, node] : nodes_) {
    if (node.report.attempt != view.attempt) continue;
    for (const RankReport& rank : node.report.ranks) {
      if (rank.index >= view.ranks.size()) continue;
      RankView& shown = view.ranks[rank.index];
      shown.pid = rank.pid;
      shown.started = rank.started;
      shown.ended = rank.ended;
    }
  }
  return view;
}

}  // namespace muster
