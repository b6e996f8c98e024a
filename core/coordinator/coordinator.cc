#include "core/coordinator/coordinator.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/coordinator/reported.h"
#include "core/machine/vigil/rank.h"
#include "core/port/send_away.h"

namespace muster {
namespace {

// Where the front end to a store listens: for its own node only.
constexpr const char* kLoopback = "127.0.0.1";

// Must be on the disk before anybody hears of it: the end, which is final. A new attempt must before anybody is wished it
// (DESIGN.md §9.3, send_wish).
bool must_last(const job::State& before, const job::State& after) {
  return job::gangs_done(after) != job::gangs_done(before) || after.phase == job::Phase::done;
}

}  // namespace

Coordinator::Coordinator(CoordinatorPorts ports, JobFold fold, JobSecrets secrets, bool linger)
    : ports_(ports),
      fold_(std::move(fold)),
      secrets_(std::move(secrets)),
      told_(ports_.backend.capabilities.own_environment ? carried(secrets_) : secrets_),
      linger_(linger),
      ahead_(std::max(Duration(0), fold_.last_time() - ports_.loop.now())),
      journal_(ports_.store, fold_.submission().id) {
  const uint64_t most = fold_.submission().spec.logs.max_bytes;
  if (!ports_.backend.capabilities.shares_filesystem) mirror_.emplace(ports_.keeper, most);
  for (uint32_t gang = 0; gang < job::gang_count(fold_.state()); ++gang) gangs_.emplace_back(ports_.loop);
  for (NodeIndex n = 0; n < fold_.state().nodes.size(); ++n) know(n);
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kBeat), [this] { beat(); });
}

Coordinator::~Coordinator() {
  *alive_ = false;
  for (const auto& [timer, id] : timers_) ports_.loop.cancel(id);
  ports_.loop.cancel(beat_timer_);
}

TimePoint Coordinator::now() const { return ports_.loop.now() + ahead_; }

void Coordinator::begin(std::vector<job::Action> actions) { perform_all(actions); }

void Coordinator::know(NodeIndex node) {
  const job::NodeState& state = fold_.state().nodes[node];
  if (state.phase == job::NodeState::Phase::up) node_of_[state.incarnation] = node;
}

void Coordinator::take_over() {
  const job::State& state = fold_.state();
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    if (state.nodes[n].phase != job::NodeState::Phase::up) continue;
    nodes_.try_emplace(n);  // silent from here on
    ports_.backend.placement.adopt({fold_.submission().id, n}, state.nodes[n].token);
  }
  for (uint32_t g = 0; g < gangs_.size(); ++g) {
    const job::State& gang = job::gang_at(state, g);
    if (gang.phase != job::Phase::running) continue;
    choose_endpoints(g, gang.attempt);
    gangs_[g].rendezvous.begin(seats_of(fold_.submission()), gang.attempt, true);
  }
  begin(job::standing_actions(state));
}

void Coordinator::happen(const job::Event& event) {
  const TimePoint at = now();
  std::optional<job::Step> step = fold_.consider(at, event);
  if (!step) return;
  if (step->next.attempt != fold_.state().attempt) journal_.owe();
  journal(at, event, must_last(fold_.state(), step->next));
  const std::vector<job::Action> actions = step->actions;
  fold_.take(at, event, std::move(*step));
  if (const auto* up = std::get_if<job::NodeUp>(&event)) know(up->node);
  const std::shared_ptr<bool> alive = alive_;
  perform_all(actions);
  if (*alive && changed_) changed_();
}

void Coordinator::remark(const std::string& sentence, bool trouble) {
  const TimePoint at = now();
  journal(at, Remark{sentence, trouble}, false);
  fold_.take(at, Remark{sentence, trouble});
  if (changed_) changed_();
}

void Coordinator::note_code(const std::string& commit) {
  const TimePoint at = now();
  journal(at, CodeNoted{commit}, false);
  fold_.take(at, CodeNoted{commit});
  if (changed_) changed_();
}

void Coordinator::replan(const Plan& plan) {
  if (plan == fold_.submission().plan) return;
  const TimePoint at = now();
  journal(at, Replanned{plan}, false);
  fold_.take(at, Replanned{plan});
}

void Coordinator::arrange(const Arranged& arranged) {
  const TimePoint at = now();
  journal(at, arranged, true);
  fold_.take(at, arranged);
  if (changed_) changed_();
}

void Coordinator::waits_for(const std::string& what, uint32_t place) {
  queue_place_ = place;
  if (what == waits_for_) return;
  waits_for_ = what;
  if (changed_) changed_();
}

// A journal that cannot be written does not end what runs, and is remarked once; but no attempt begins (send_wish).
void Coordinator::journal(TimePoint at, const JournalEntry& entry, bool sync) {
  const bool was_behind = journal_.behind();
  const Status status = journal_.write(at, entry, sync);
  if (kept_journal_) kept_journal_->add(encode_line({at, entry}));
  if (journal_.behind()) kept_journal_.reset();  // what is written in the end, and in which order, its file will tell
  for (const NodeIndex index : deputies_) {
    const auto node = nodes_.find(index);
    const bool listens = node != nodes_.end() && node->second.deputy && node->second.channel;
    if (listens) node->second.channel->send(JournalCopy{{encode_line({at, entry})}});
  }
  if (status.ok() || was_behind) return;
  ports_.log.error("journal of " + fold_.submission().name + ": " + status.message());
  const Remark remark{"the job's journal cannot be written (" + status.message() +
                          "); what runs goes on, but is not restarted until there is room",
                      true};
  journal_.precede(at, remark);
  fold_.take(at, remark);
}

void Coordinator::perform_all(const std::vector<job::Action>& actions) {
  addresses_.reset();
  for (const job::Action& action : actions) perform(action);
}

void Coordinator::perform(const job::Action& action) {
  std::visit([this](const auto& each) { act(each); }, action);
}

void Coordinator::act(const job::Place& action) {
  const NodeRef ref{fold_.submission().id, action.node};
  ports_.backend.placement.place(ref, [this, alive = alive_, node = action.node](Result<PlacedAgent> agent) {
    if (*alive) placed(node, std::move(agent));
  });
}

void Coordinator::placed(NodeIndex node, Result<PlacedAgent> agent) {
  if (!agent.ok()) return happen(job::PlaceFailed{node, agent.status().message()});
  if (state_of(node).phase == job::Phase::done) return;
  const Hello& hello = agent->agent.hello;
  job::NodeUp up{node, hello.incarnation, agent->token, "", 0, agent->code_took};
  if (hello.offer) {
    up.host = hello.host;
    up.ranks = hello.offer->ranks;
  }
  connect(node, std::move(agent->agent));
  happen(up);
}

void Coordinator::act(const job::Release& action) {
  if (!stays_for_output(action.node)) release(action.node);
}

void Coordinator::release(NodeIndex node) {
  const auto found = nodes_.find(node);
  const bool keep = linger_ && ports_.backend.capabilities.keeps_agents;
  const job::State& state = state_of(node);
  const bool succeeded = state.phase == job::Phase::done && state.outcome == job::Outcome::succeeded;
  if (found != nodes_.end() && found->second.channel) found->second.channel->send(Dismiss{"", keep, succeeded});
  ports_.backend.placement.release({fold_.submission().id, node});
}

void Coordinator::act(const job::Wish& action) { send_wish(action.node, action); }

void Coordinator::send_wish(NodeIndex index, const job::Wish& wish) {
  const auto found = nodes_.find(index);
  if (found == nodes_.end() || !found->second.channel) return;
  Wish message;
  message.attempt = wish.attempt;
  message.run = wish.run;
  message.grace = wish.grace;
  message.signal = wish.signal;
  message.heard = found->second.report.beat;
  const Gang& gang = gang_of(index);
  message.examine =
      wish.run && ((gang.examine && gang.seen.attempt == wish.attempt) || ports_.loop.now() < examine_until_);
  message.measure = wish.run && ports_.loop.now() < measure_until_;
  message.look_every = vigil::between_looks(fold_.submission().spec.hangs.after);
  if (!wish.run) {
    static_cast<void>(journal_.settle());  // not ok: what is to stop must stop all the same
    tell_end(index, message);
  }
  const bool known = found->second.report.attempt >= wish.attempt;
  if (wish.run && !known) {
    // Nobody runs what a controller after us would not know of. The wish is repeated.
    const uint32_t number = job::gang_of(fold_.state(), index);
    if (!choose_endpoints(number, wish.attempt) || !journal_.settle().ok() || journal_.behind()) return;
    if (on_one_node(number)) message.seats = seats_of(fold_.submission());
    const AttemptPlace place = attempt_place(index);
    message.store = store_of(fold_.submission(), index, place);
    message.warm = warm_of(fold_.submission().spec);
    const auto path = [&](const PlannedRank& rank, OutputStream stream) {
      return mirror_ ? output_name(fold_.submission(), wish.attempt, rank, stream)
                     : output_path(wish.attempt, rank, stream);
    };
    message.tasks = tasks_of(fold_.submission(), told_, index, place, path);
    if (found->second.deputy) message.tasks = only_named(message.tasks);
  }
  add_journal(index, message);
  Node& node = found->second;
  if (!wish.run || !known) node.wishes.reset();
  if (node.wishes.due(message, beats_between_levels(node))) node.channel->send(message);
}

// A rank that was told why it is to end can say so, and a peer of the lost one need not wait for it.
void Coordinator::tell_end(NodeIndex node, Wish& message) const {
  const job::State& state = state_of(node);
  const job::EndAttempt& end = gangs_[job::gang_of(fold_.state(), node)].end;
  message.broken =
      state.phase == job::Phase::backoff || state.then == job::Then::retry || state.then == job::Then::failed;
  const std::string remembered = message.broken && state.cause ? state.cause->sentence : state.sentence;
  message.again =
      state.phase == job::Phase::backoff || (state.phase == job::Phase::stopping && state.then == job::Then::retry);
  message.why = end.attempt == message.attempt ? end.why : remembered;
}

void Coordinator::beat() {
  static_cast<void>(journal_.catch_up());  // not ok: again with the next beat
  judge_silent_nodes();
  pass_over_unreached();
  output_beat();
  for (uint32_t gang = 0; gang < gangs_.size(); ++gang) watch_beat(gang);
  wish_again(std::nullopt);
  for (const auto& [index, node] : nodes_) {
    if (node.deputy && node.channel) node.channel->send(JournalCopy{});  // we are here
  }
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kBeat), [this] { beat(); });
}

// What `node` is wished, or every node.
void Coordinator::wish_again(std::optional<NodeIndex> node) {
  addresses_.reset();
  for (const job::Action& action : job::standing_actions(fold_.state())) {
    const auto* wish = std::get_if<job::Wish>(&action);
    if (wish != nullptr && (!node || wish->node == *node)) send_wish(wish->node, *wish);
  }
}

const job::State& Coordinator::state_of(NodeIndex node) const {
  return job::gang_at(fold_.state(), job::gang_of(fold_.state(), node));
}

// Then its rendezvous is its agent's.
bool Coordinator::on_one_node(uint32_t gang) const { return job::gang_at(fold_.state(), gang).rules.nodes.size() == 1; }

std::string Coordinator::output_path(Attempt attempt, const PlannedRank& rank, OutputStream stream) {
  const Submission& submission = fold_.submission();
  const Result<std::string> path = ports_.output.path(submission.id, attempt, rank_file(submission.spec, rank), stream);
  if (path.ok()) return *path;
  ports_.log.error(submission.name + ": " + path.status().message());
  return "";
}

// Every node's are asked for once, however many wishes tell them.
AttemptPlace Coordinator::attempt_place(NodeIndex index) {
  AttemptPlace place = fold_.attempt_place(index);
  if (!addresses_) {
    addresses_.emplace();
    for (const PlannedNode& node : fold_.submission().plan.nodes) {
      addresses_->addresses.push_back(ports_.backend.placement.address({place.job, node.node}));
      addresses_->loopbacks.push_back(ports_.backend.placement.loopback({place.job, node.node}));
    }
  }
  place.addresses = addresses_->addresses;
  place.loopbacks = addresses_->loopbacks;
  return place;
}

void Coordinator::act(const job::ArmTimer& action) {
  TimerId& timer = timers_[action.timer];
  ports_.loop.cancel(timer);
  timer = ports_.loop.at(action.at - ahead_, [this, kind = action.timer] { happen(job::TimerFired{kind}); });
}

void Coordinator::act(const job::CancelTimer& action) {
  ports_.loop.cancel(timers_[action.timer]);
  timers_.erase(action.timer);
}

// The first node of each group hosts the group's service. False: one of them has yet to say which port it holds, as
// after a takeover, or has none to hold.
bool Coordinator::choose_endpoints(uint32_t gang, Attempt attempt) {
  if (fold_.has_endpoints(gang, attempt)) return true;
  const Submission& submission = fold_.submission();
  AttemptEndpoints chosen{attempt, {}, {}};
  chosen.endpoints.resize(submission.spec.groups.size());
  if (submission.spec.store == StoreHost::proxy) chosen.fronts.resize(submission.plan.nodes.size());
  for (const PlannedNode& planned : submission.plan.nodes) {
    if (job::gang_of(fold_.state(), planned.node) != gang) continue;
    const bool served = chosen.endpoints[planned.group].port != 0;
    const bool front = has_store_front(submission, planned.node);
    if (served && !front) continue;
    const auto node = nodes_.find(planned.node);
    if (node == nodes_.end() || node->second.report.spare_port == 0) return false;
    const uint16_t port = node->second.report.spare_port;
    if (front) chosen.fronts.edit(planned.node) = {kLoopback, port};
    if (!served)
      chosen.endpoints.edit(planned.group) = {ports_.backend.placement.address({submission.id, planned.node}), port};
  }
  // Synced: with it everything that the wishes to come stand on, such as which agents are ours.
  const TimePoint at = now();
  journal(at, chosen, true);
  fold_.take(at, chosen);
  return true;
}

void Coordinator::act(const job::BeginAttempt& action) {
  choose_endpoints(action.gang, action.attempt);
  gangs_[action.gang].rendezvous.begin(seats_of(fold_.submission()), action.attempt, false);
}

void Coordinator::act(const job::EndAttempt& action) {
  Gang& gang = gangs_[action.gang];
  gang.rendezvous.end(action.attempt, action.why);
  gang.end = action;
  const std::optional<JobProgress> progress = gang.meter.progress();
  if (!progress || gang.meter.attempt() != action.attempt) return;
  const TimePoint at = now();
  journal(at, ProgressMade{action.attempt, *progress}, false);
  fold_.take(at, ProgressMade{action.attempt, *progress});
}

void Coordinator::type(const TtyInput& typed) {
  if (fold_.submission().spec.tty_rank != typed.index || typed.index >= fold_.submission().plan.ranks.size()) return;
  const NodeIndex node = fold_.submission().plan.ranks[typed.index].node;
  if (const auto now = type_ahead_.type(typed, job::attempt_on(fold_.state(), node))) send_typed(*now);
}

void Coordinator::send_typed(const TtyInput& typed) {
  const auto node = nodes_.find(fold_.submission().plan.ranks[typed.index].node);
  if (node != nodes_.end() && node->second.channel) node->second.channel->send(typed);
}

void Coordinator::terminal_ready(Attempt attempt, const RankReport& rank) {
  if (rank.phase != RankPhase::running || fold_.submission().spec.tty_rank != rank.index) return;
  if (const auto missed = type_ahead_.rank_runs(rank.index, attempt)) send_typed(*missed);
}

// Of the first gang that tells any.
std::optional<JobProgress> Coordinator::progress() const {
  for (uint32_t g = 0; g < gangs_.size(); ++g) {
    const bool newest = gangs_[g].meter.attempt() == job::gang_at(fold_.state(), g).attempt;
    if (std::optional<JobProgress> told = gangs_[g].meter.progress(); told && newest) return told;
  }
  return std::nullopt;
}

JobView Coordinator::view() const {
  JobView view = fold_.view();
  if (fold_.state().phase == job::Phase::queued) {
    view.waits_for = waits_for_;
    view.queue_place = queue_place_;
  }
  if (fold_.state().phase == job::Phase::placing) view.waits_for = setup_under_way();
  const std::optional<JobProgress> told = progress();
  if (told && (!view.progress || gangs_.size() > 1)) view.progress = told;
  for (const auto& [index, node] : nodes_) {
    if (node.report.attempt != job::attempt_on(fold_.state(), index)) continue;
    for (const RankReport& rank : node.report.ranks) {
      if (rank.index >= view.ranks.size()) continue;
      RankView& shown = view.ranks[rank.index];
      shown.pid = rank.pid;
      shown.started = rank.started;
      shown.ended = rank.ended;
      shown.progress = rank.progress;
      shown.finding = rank.finding;
      shown.standing = rank.standing;
      shown.use = rank.use;
    }
  }
  add_watch(view);
  if (ports_.backend.reach != nullptr) view.asking_hosts = ports_.backend.reach->asking_hosts(fold_.submission().id);
  return view;
}

}  // namespace muster
