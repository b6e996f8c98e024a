// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/agent_orders.h"

#include "core/machine/watchdog/rank.h"

namespace muster {

AgentOrders::AgentOrders(const JobContext& context, OrderSources sources, const JobSecrets& secrets, bool linger)
    : context_(context),
      sources_(sources),
      told_(context.ports.backend.capabilities.own_environment ? carried(secrets) : secrets),
      linger_(linger) {}

BindTerms AgentOrders::terms(NodeIndex node) const {
  const JobLedger& ledger = context_.ledger;
  const Backend& backend = context_.ports.backend;
  BindTerms terms;
  terms.address = backend.placement.address(ledger.ref_of(node));
  terms.linger = linger_;
  terms.own_environment = backend.capabilities.own_environment;
  terms.sends_output = sources_.output.comes_here();
  terms.attempt = ledger.attempt_on(node);
  const JobSpec& spec = ledger.submission().spec;
  if (!spec.setup.empty() || uses_image(spec))
    terms.setup_output =
        sources_.output.told_path(terms.attempt, first_rank(ledger.submission().plan, node), OutputStream::setup);
  if (backend.capabilities.fixed_hosts) return terms;
  terms.lease = kLease;
  return terms;
}

void AgentOrders::bind(NodeIndex index) {
  const AgentNode& node = context_.nodes.get(index);
  node.channel->send(bind_of(context_.ledger.submission(), node.proxy ? JobSecrets() : told_, index, terms(index)));
}

void AgentOrders::desired(const job::DesiredState& desired) {
  const NodeIndex index = desired.node;
  AgentNode* node = context_.nodes.connected(index);
  if (node == nullptr) return;
  const TimePoint now = context_.ports.loop.now();
  DesiredState message;
  message.attempt = desired.attempt;
  message.run = desired.run;
  message.grace = desired.grace;
  message.signal = desired.signal;
  message.heard = node->report.beat;
  message.examine = desired.run && (sources_.hangs.examines(index, desired.attempt) || now < examine_until_);
  message.measure = desired.run && now < measure_until_;
  message.look_every = watchdog::between_looks(context_.ledger.submission().spec.hangs.after);
  if (!desired.run) {
    static_cast<void>(context_.ledger.settle());  // ranks must stop even if this fails
    add_end(index, message);
  }
  const bool known = node->report.attempt >= desired.attempt;
  if (desired.run && !known && !add_tasks(index, message)) return;
  sources_.copies.add_to(index, message);
  Repeats<DesiredState>& repeats = repeats_[index];
  if (!desired.run || !known) repeats.reset();
  if (repeats.due(message, context_.nodes.beats_between_levels(*node))) node->channel->send(message);
}

// False: the attempt is not journaled yet, so that the next controller would not know it. The desired state is sent again later.
bool AgentOrders::add_tasks(NodeIndex index, DesiredState& message) {
  JobLedger& ledger = context_.ledger;
  const uint32_t gang = ledger.gang_of(index);
  if (!sources_.endpoints.choose(gang, message.attempt) || !ledger.settle().ok() || ledger.behind()) return false;
  const Submission& submission = ledger.submission();
  if (ledger.on_one_node(gang)) message.members = members_of(submission);
  const AttemptPlace place = sources_.endpoints.place_of(index);
  message.store = store_of(submission, index, place);
  message.warm = warm_of(submission.spec, told_);
  message.mpi = mpi_of(submission, index, message.attempt);
  message.program = program_of(submission, index, place);
  message.files = files_of(submission, index, place);
  message.tasks = tasks_of(submission, told_, index, place, [&](const PlannedRank& rank, OutputStream stream) {
    return sources_.output.told_path(message.attempt, rank, stream);
  });
  if (context_.nodes.get(index).proxy) message.tasks = only_named(message.tasks);
  return true;
}

// Adds why the attempt ends. Ranks can print the reason, and peers of a lost rank need not wait for it.
void AgentOrders::add_end(NodeIndex node, DesiredState& message) const {
  const job::State& state = context_.ledger.state_of(node);
  const job::EndAttempt& end = sources_.gangs.last_end(node);
  message.broken =
      state.phase == job::Phase::backoff || state.then == job::Then::retry || state.then == job::Then::failed;
  const std::string remembered = message.broken && state.cause ? state.cause->sentence : state.sentence;
  message.again =
      state.phase == job::Phase::backoff || (state.phase == job::Phase::stopping && state.then == job::Then::retry);
  message.why = end.attempt == message.attempt ? end.why : remembered;
}

void AgentOrders::send_again(std::optional<NodeIndex> node) {
  sources_.endpoints.forget_addresses();
  for (const job::Action& action : job::standing_actions(context_.ledger.state())) {
    const auto* state = std::get_if<job::DesiredState>(&action);
    if (state != nullptr && (!node || state->node == *node)) desired(*state);
  }
}

void AgentOrders::ports_came(NodeIndex node) {
  if (!context_.ledger.done() && sources_.endpoints.are_reported(context_.ledger.gang_of(node)))
    send_again(std::nullopt);
}

void AgentOrders::dismiss(NodeIndex node) {
  const Backend& backend = context_.ports.backend;
  const bool keep = linger_ && backend.capabilities.keeps_agents;
  const job::State& state = context_.ledger.state_of(node);
  const bool succeeded = state.phase == job::Phase::done && state.outcome == job::Outcome::succeeded;
  context_.nodes.send(node, Dismiss{"", keep, succeeded});
  backend.placement.release(context_.ledger.ref_of(node));
}

void AgentOrders::measure_until(TimePoint until) {
  const bool anew = context_.ports.loop.now() >= measure_until_;
  measure_until_ = until;
  if (anew && !context_.ledger.done()) send_again(std::nullopt);
}

// An agent examines a rank again only after a desired state without `examine`. So an examination ends even if more requests
// come, and the next one starts after agents were told.
void AgentOrders::examine_until(TimePoint until) {
  if (context_.ledger.done() || context_.ports.loop.now() < examine_until_ + 2 * kHeartbeat) return;
  examine_until_ = until;
  send_again(std::nullopt);
}

}  // namespace muster
