#include "backends/kubernetes/pod_backend.h"

#include <algorithm>
#include <charconv>

#include "backends/kubernetes/pod_plan.h"
#include "core/base/text.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// For one who keeps the journal to come.
constexpr Duration kStrangersPatience = std::chrono::seconds(15);
// For the agents to come, of which one may know the job: they dial again within seconds.
constexpr Duration kVerdictsPatience = std::chrono::seconds(30);
constexpr Duration kSpeakEvery = std::chrono::seconds(3);

// "UID ADDRESS INCARNATION": what a controller after us has to know of a pod.
std::string token_of(const std::string& uid, const std::string& address, Incarnation agent) {
  return uid + " " + address + " " + std::to_string(agent);
}

// In tokens and sentences: one word, and harmless to a terminal.
std::string word(const std::string& text) {
  std::string plain = shown_name(text);
  for (char& letter : plain)
    if (letter == ' ') letter = '_';
  return plain.empty() ? "-" : plain;
}

}  // namespace

PodBackend::PodBackend(Loop& loop) : loop_(loop), arrivals_(loop) { speak_to_who_waits(); }

void PodBackend::speak_to_who_waits() {
  arrivals_.speak();
  speak_timer_ = loop_.at(loop_.now() + kSpeakEvery, [this] { speak_to_who_waits(); });
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
  if (!place) return later([done] { done(Status(Code::internal, "nobody said which pod this node is")); });
  nodes_[*place].wanted = std::move(done);
  later([this, place] {
    hand_over_all();
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
      if (lost_) lost_(node, "nothing is known of its pod");
    });
  }
  gathers_ = false;
  Node& known = nodes_[*place];
  known.held = Pod{words[0], words[1], agent};
  known.address = words[1];
  lose_if_replaced(*place);
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

// Why it may not come; empty: it may.
std::string PodBackend::refusal(const ArrivedAgent& agent) const {
  if (!agent.hello.pod) return "only the pods of this job come here";
  const Place place{agent.hello.pod->group, agent.hello.pod->index};
  if (!places_.empty() && !ref_of(place))
    return "the job has no node " + std::to_string(place.second) + " in its group " + std::to_string(place.first);
  return "";
}

void PodBackend::agent_arrived(ArrivedAgent agent) {
  // Of coordinator proxies and of agents of this machine.
  agent.hello.offer.reset();
  agent.hello.returned = false;
  if (const std::string why = refusal(agent); !why.empty() && !(agent.hello.pod && agent.hello.pod->verdict))
    return dismiss_agent(loop_, std::move(agent.channel), why);
  if (agent.hello.pod->verdict) return answer_verdict(std::move(agent));
  const Place place{agent.hello.pod->group, agent.hello.pod->index};
  const auto known = nodes_.find(place);
  const bool held = known != nodes_.end() && known->second.held && known->second.held->agent == agent.hello.incarnation;
  const bool of_another = !agent.hello.job.empty() && job_ != agent.hello.job;
  if (of_another && gathers_ && !over_) return let_stranger_wait(std::move(agent));
  if (held || !agent.hello.job.empty()) return returned_ ? returned_(std::move(agent)) : void();
  if (over_) return dismiss_agent(loop_, std::move(agent.channel), over_->why, over_->succeeded);
  let_wait(place, std::move(agent));
  hand_over_all();
  hand_over(place);
  lose_if_replaced(place);
}

// The newest of a node counts: a pod that comes in place of another is the later one.
void PodBackend::let_wait(const Place& place, ArrivedAgent agent) {
  Node& node = nodes_[place];
  arrivals_.dismiss_agent(node.at_the_door, "another pod of its node came");
  node.at_the_door = arrivals_.add(std::move(agent), [this, place](Arrivals::Ticket who) {
    arrivals_.forget(who);
    Node& left = nodes_[place];
    if (left.at_the_door == who) left.at_the_door = 0;
  });
}

bool PodBackend::all_are_here() const {
  return std::all_of(places_.begin(), places_.end(), [this](const auto& each) {
    const auto node = nodes_.find(each.second);
    return node != nodes_.end() && node->second.at_the_door != 0;
  });
}

// Nobody is left who could know of an earlier coordinator.
void PodBackend::hand_over_all() {
  if (!gathers_ || places_.empty() || !all_are_here()) return;
  gathers_ = false;
  for (const auto& [node, place] : places_) hand_over(place);
}

// Its ranks go on meanwhile. Where nobody keeps the journal its job is lost, and begins anew.
void PodBackend::let_stranger_wait(ArrivedAgent agent) {
  const std::string packed = agent.hello.snapshot;
  strangers_.push_back(arrivals_.add(std::move(agent)));
  if (strangers_.size() == 1) {
    strangers_timer_ = loop_.at(loop_.now() + kStrangersPatience, [this] {
      for (const Arrivals::Ticket stranger : std::exchange(strangers_, {}))
        arrivals_.dismiss_agent(stranger, "nothing is known any more of the job that it had");
    });
  }
  if (found_ && !packed.empty()) found_(packed);
}

void PodBackend::hand_over(const Place& place) {
  Node& node = nodes_[place];
  if (gathers_ || !node.wanted) return;
  std::optional<ArrivedAgent> agent = arrivals_.take(std::exchange(node.at_the_door, 0));
  if (!agent) return;
  const PodSelf& pod = *agent->hello.pod;
  node.address = pod.address.empty() ? agent->peer : word(pod.address);
  node.held = Pod{word(pod.uid), node.address, agent->hello.incarnation};
  const std::string token = token_of(node.held->uid, node.address, node.held->agent);
  std::exchange(node.wanted, nullptr)(PlacedAgent{std::move(*agent), token});
}

// In a turn of its own; who stands at the door then may be gone again.
void PodBackend::lose_if_replaced(const Place& place) {
  later([this, place] {
    Node& node = nodes_[place];
    const auto ref = ref_of(place);
    const ArrivedAgent* waits = arrivals_.find(node.at_the_door);
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
      verdict_timer_ = loop_.at(loop_.now() + kVerdictsPatience, [this] { answer_for_the_lost(); });
    return;
  }
  give_verdict();
}

void PodBackend::give_verdict() {
  arrivals_.dismiss_agent(std::exchange(verdict_, 0), over_->why, over_->succeeded);
  verdict_given_ = true;
}

// A verdict is made when a coordinator is ready, because its job has failed, or through, and then no other comes. So there was one before
// us, which failed, and neither it nor an agent that knows of it is left.
void PodBackend::answer_for_the_lost() {
  verdict_timer_ = 0;
  if (over_ || !gathers_) return;
  arrivals_.dismiss_agent(std::exchange(verdict_, 0), "it failed, and its coordinator was lost before it had told why");
}

void PodBackend::job_over(const std::string& sentence, bool succeeded) {
  over_ = Dismiss{sentence, false, succeeded};
  for (auto& [place, node] : nodes_) arrivals_.dismiss_agent(std::exchange(node.at_the_door, 0), sentence, succeeded);
  if (verdict_ != 0) give_verdict();
}

}  // namespace muster
