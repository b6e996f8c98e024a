// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod_backend.h"

#include <algorithm>
#include <charconv>

#include "backends/kubernetes/pod_plan.h"
#include "core/base/text.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// Timeout of an earlier coordinator's agents for an agent that keeps the job's journal.
constexpr Duration kJournalPatience = std::chrono::seconds(15);
// Timeout of the verdict pod for an agent that keeps the job's journal. Agents reconnect within seconds.
constexpr Duration kVerdictPatience = std::chrono::seconds(30);
constexpr Duration kKeepAlivePeriod = std::chrono::seconds(3);

// "UID ADDRESS INCARNATION": the next controller identifies the pod by it (see adopt).
std::string token_of(const std::string& uid, const std::string& address, Incarnation agent) {
  return uid + " " + address + " " + std::to_string(agent);
}

// For tokens and sentences: one word without control characters.
std::string word(const std::string& text) {
  std::string plain = shown_name(text);
  for (char& letter : plain)
    if (letter == ' ') letter = '_';
  return plain.empty() ? "-" : plain;
}

}  // namespace

PodBackend::PodBackend(Loop& loop) : loop_(loop), arrivals_(loop) { keep_waiting_links_alive(); }

void PodBackend::keep_waiting_links_alive() {
  arrivals_.speak();
  speak_timer_ = loop_.at(loop_.now() + kKeepAlivePeriod, [this] { keep_waiting_links_alive(); });
}

PodBackend::~PodBackend() {
  *alive_ = false;
  loop_.cancel(speak_timer_);
  loop_.cancel(strangers_timer_);
  loop_.cancel(verdict_timer_);
}

Result<Plan> PodBackend::plan(const JobSpec& spec, const std::vector<Holder>&, const JobOrigin&) {
  return plan_of_pods(spec);
}

Status PodBackend::claim(const JobOnNodes& claimed) {
  job_ = claimed.job;
  places_.clear();
  std::map<uint32_t, uint32_t> counted;  // of each group
  for (const PlannedNode& node : claimed.plan.nodes) places_[node.node] = {node.group, counted[node.group]++};
  return Status();
}

void PodBackend::unclaim(const JobId& job) {
  if (job_ != job) return;
  job_.reset();
  places_.clear();
}

std::optional<PodBackend::Place> PodBackend::place_of(const NodeRef& node) const {
  const auto found = places_.find(node.node);
  if (job_ != node.job || found == places_.end()) return std::nullopt;
  return found->second;
}

std::optional<NodeRef> PodBackend::ref_of(const Place& place) const {
  for (const auto& [node, each] : places_)
    if (each == place) return NodeRef{*job_, node};
  return std::nullopt;
}

void PodBackend::later(std::function<void()> act) {
  loop_.post([alive = alive_, act = std::move(act)] {
    if (*alive) act();
  });
}

void PodBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  const auto place = place_of(node);
  if (!place) return later([done] { done(Status(Code::internal, "no pod is assigned to this node")); });
  nodes_[*place].wanted = std::move(done);
  later([this, place] {
    hand_over_all_if_complete();
    hand_over(*place);
  });
}

void PodBackend::adopt(const NodeRef& node, const std::string& token) {
  const auto place = place_of(node);
  const std::vector<std::string> words = split(token, ' ');
  Incarnation agent = 0;
  if (words.size() == 3) std::from_chars(words[2].data(), words[2].data() + words[2].size(), agent);
  if (!place || agent == 0) {
    return later([this, node] {
      if (lost_) lost_(node, "the journal does not identify its pod");
    });
  }
  gathers_ = false;
  Node& known = nodes_[*place];
  known.held = Pod{words[0], words[1], agent};
  known.address = words[1];
  report_lost_if_restarted(*place);
}

std::string PodBackend::address(const NodeRef& node) const {
  const auto place = place_of(node);
  const auto found = place ? nodes_.find(*place) : nodes_.end();
  return found == nodes_.end() ? "" : found->second.address;
}

void PodBackend::release(const NodeRef& node) {
  const auto place = place_of(node);
  if (!place) return;
  nodes_[*place].wanted = nullptr;
  nodes_[*place].held.reset();
}

// Why the agent is refused; empty: it is accepted.
std::string PodBackend::refusal(const ArrivedAgent& agent) const {
  if (!agent.hello.pod) return "only pods of this job may connect";
  const Place place{agent.hello.pod->group, agent.hello.pod->index};
  if (!places_.empty() && !ref_of(place))
    return "the job has no node " + std::to_string(place.second) + " in its group " + std::to_string(place.first);
  return "";
}

void PodBackend::agent_arrived(ArrivedAgent agent) {
  // Only for coordinator proxies and for agents on this machine.
  agent.hello.offer.reset();
  agent.hello.returned = false;
  if (const std::string why = refusal(agent); !why.empty() && !(agent.hello.pod && agent.hello.pod->verdict))
    return dismiss_agent(loop_, std::move(agent.channel), why);
  if (agent.hello.pod->verdict) return answer_verdict(std::move(agent));
  const Place place{agent.hello.pod->group, agent.hello.pod->index};
  const auto known = nodes_.find(place);
  const bool held = known != nodes_.end() && known->second.held && known->second.held->agent == agent.hello.incarnation;
  const bool of_another = !agent.hello.job.empty() && job_ != agent.hello.job;
  if (of_another && gathers_ && !over_) return wait_for_journal(std::move(agent));
  if (held || !agent.hello.job.empty()) return returned_ ? returned_(std::move(agent)) : void();
  if (over_) return dismiss_agent(loop_, std::move(agent.channel), over_->why, over_->succeeded);
  add_waiting(place, std::move(agent));
  hand_over_all_if_complete();
  hand_over(place);
  report_lost_if_restarted(place);
}

// The newest agent of a node replaces a waiting one: a replacement pod connects later than the pod that it replaces.
void PodBackend::add_waiting(const Place& place, ArrivedAgent agent) {
  Node& node = nodes_[place];
  arrivals_.dismiss_agent(node.waiting, "another pod connected for this node");
  node.waiting = arrivals_.add(std::move(agent), [this, place](Arrivals::Ticket who) {
    arrivals_.forget(who);
    Node& left = nodes_[place];
    if (left.waiting == who) left.waiting = 0;
  });
}

bool PodBackend::all_connected() const {
  return std::all_of(places_.begin(), places_.end(), [this](const auto& each) {
    const auto node = nodes_.find(each.second);
    return node != nodes_.end() && node->second.waiting != 0;
  });
}

// All agents are connected, and none keeps the journal of an earlier coordinator.
void PodBackend::hand_over_all_if_complete() {
  if (!gathers_ || places_.empty() || !all_connected()) return;
  gathers_ = false;
  for (const auto& [node, place] : places_) hand_over(place);
}

// The agent's ranks continue meanwhile. If no agent keeps the journal, the job is lost and starts again from the beginning.
void PodBackend::wait_for_journal(ArrivedAgent agent) {
  const std::string packed = agent.hello.snapshot;
  strangers_.push_back(arrivals_.add(std::move(agent)));
  if (strangers_.size() == 1) {
    strangers_timer_ = loop_.at(loop_.now() + kJournalPatience, [this] {
      for (const Arrivals::Ticket stranger : std::exchange(strangers_, {}))
        arrivals_.dismiss_agent(stranger, "no agent keeps the journal of its job");
    });
  }
  if (found_ && !packed.empty()) found_(packed);
}

void PodBackend::hand_over(const Place& place) {
  Node& node = nodes_[place];
  if (gathers_ || !node.wanted) return;
  std::optional<ArrivedAgent> agent = arrivals_.take(std::exchange(node.waiting, 0));
  if (!agent) return;
  const PodSelf& pod = *agent->hello.pod;
  node.address = pod.address.empty() ? agent->peer : word(pod.address);
  node.held = Pod{word(pod.uid), node.address, agent->hello.incarnation};
  const std::string token = token_of(node.held->uid, node.address, node.held->agent);
  std::exchange(node.wanted, nullptr)(PlacedAgent{std::move(*agent), token});
}

// Runs in a later turn of the loop; the waiting agent may have disconnected by then.
void PodBackend::report_lost_if_restarted(const Place& place) {
  later([this, place] {
    Node& node = nodes_[place];
    const auto ref = ref_of(place);
    const ArrivedAgent* waits = arrivals_.find(node.waiting);
    const bool replaced = node.held && waits != nullptr && word(waits->hello.pod->uid) == node.held->uid;
    if (!ref || !replaced) return;
    node.held.reset();
    if (lost_) lost_(*ref, "its agent ended, and its container was started again");
  });
}

void PodBackend::answer_verdict(ArrivedAgent agent) {
  arrivals_.forget(std::exchange(verdict_, arrivals_.add(std::move(agent))));
  if (!over_) {
    if (gathers_ && verdict_timer_ == 0)
      verdict_timer_ = loop_.at(loop_.now() + kVerdictPatience, [this] { answer_without_job(); });
    return;
  }
  give_verdict();
}

void PodBackend::give_verdict() {
  arrivals_.dismiss_agent(std::exchange(verdict_, 0), over_->why, over_->succeeded);
  verdict_given_ = true;
}

// The cluster starts the verdict pod only after a coordinator was ready, and it is ready only after its job failed. If the verdict pod
// asks a coordinator without that job, the earlier coordinator is lost, and so are all agents that keep its journal.
void PodBackend::answer_without_job() {
  verdict_timer_ = 0;
  if (over_ || !gathers_) return;
  arrivals_.dismiss_agent(std::exchange(verdict_, 0),
                          "the job failed, and its coordinator was lost before it reported the reason");
}

void PodBackend::job_over(const std::string& sentence, bool succeeded) {
  over_ = Dismiss{sentence, false, succeeded};
  for (auto& [place, node] : nodes_) arrivals_.dismiss_agent(std::exchange(node.waiting, 0), sentence, succeeded);
  if (verdict_ != 0) give_verdict();
}

}  // namespace muster
