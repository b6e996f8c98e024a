#include "backends/ssh/ssh_backend.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/job/plan/host_room.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

constexpr Duration kFirstTry = std::chrono::seconds(1);
constexpr Duration kLongestWait = std::chrono::seconds(30);
// A dismissed agent hands over what its ranks wrote before it leaves.
constexpr Duration kLeaveGrace = std::chrono::seconds(45);
// Its job is over; a host may be gone for good.
constexpr Duration kPatienceToEnd = std::chrono::minutes(10);
// With a host that is asked for the first time and may be reached in a moment.
constexpr Duration kPatienceToEnter = std::chrono::minutes(2);
// A host that was entered starts an agent in well under a second.
constexpr Duration kLateHello = std::chrono::seconds(20);
constexpr Duration kMissedHello = std::chrono::seconds(60);
constexpr size_t kTagLetters = 13;  // of 5 bits

struct Token {
  std::string host;
  std::string tag;
  Incarnation agent = 0;
};

// "HOST TAG INCARNATION"
std::string text_of(const Token& token) { return token.host + " " + token.tag + " " + std::to_string(token.agent); }

Token token_of(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() != 3) return {};
  Token token{words[0], words[1]};
  std::from_chars(words[2].data(), words[2].data() + words[2].size(), token.agent);
  return token;
}

const char* flag_of(bool listen, bool resume) { return listen ? "--listen" : resume ? "--resume" : "--end"; }

}  // namespace

SshBackend::~SshBackend() {
  *alive_ = false;
  for (const auto& [life, node] : nodes_) {
    loop_.cancel(node.timer);
    loop_.cancel(node.hello_timer);
  }
}

Result<Plan> SshBackend::plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) {
  return plan_beside(spec, origin.hosts, held);
}

std::optional<std::vector<Holder>> SshBackend::others_on(const JobOnNodes& waiting, TimePoint asked,
                                                         const std::function<void()>& seen) {
  return rooms_.others_on(waiting, asked, seen);
}

Status SshBackend::claim(const JobOnNodes& claimed) {
  Job job{claimed.name, {}, claimed.environment, claimed.code, {}};
  for (const PlannedNode& node : claimed.plan.nodes) {
    if (claimed.anyway) job.were_up.insert(static_cast<NodeIndex>(job.hosts.size()));
    const auto found = std::find_if(claimed.hosts.begin(), claimed.hosts.end(),
                                    [&](const JobHost& host) { return host.name == node.host; });
    job.hosts.push_back(found == claimed.hosts.end() ? JobHost{node.host} : *found);
  }
  jobs_[claimed.job] = std::move(job);
  rooms_.own(claimed.job);
  return Status();
}

const JobHost* SshBackend::host_of(const NodeRef& node) const {
  const auto job = jobs_.find(node.job);
  if (job == jobs_.end() || node.node >= job->second.hosts.size()) return nullptr;
  return &job->second.hosts[node.node];
}

std::string SshBackend::address(const NodeRef& node) const {
  const JobHost* host = host_of(node);
  return host == nullptr ? "" : host->address;
}

std::string SshBackend::loopback(const NodeRef& node) const {
  const JobHost* host = host_of(node);
  return host == nullptr || host->loopback.empty() ? "127.0.0.1" : host->loopback;
}

// "JOB-NODE-RANDOM": by it a host finds what is left of a node (backends/ssh/relay/link_place.h).
std::string SshBackend::tag_of(const NodeRef& node) {
  std::string random;
  for (size_t i = 0; i < kTagLetters; ++i) random += "abcdefghijklmnopqrstuvwxyz234567"[random_.below(32)];
  return node.job.text() + "-" + std::to_string(node.node) + "-" + random;
}

SshBackend::Task SshBackend::first_task(const JobId& job) const {
  return jobs_.at(job).code.hash.empty() ? Task::listen : Task::code;
}

// The newest of the node.
SshBackend::Nodes::iterator SshBackend::current(const NodeRef& node) {
  const auto next = nodes_.upper_bound({node, UINT64_MAX});
  return next == nodes_.begin() || std::prev(next)->first.node != node ? nodes_.end() : std::prev(next);
}

// The one that is still being ended.
SshBackend::Nodes::iterator SshBackend::before(Nodes::iterator life) {
  const bool first = life == nodes_.begin() || std::prev(life)->first.node != life->first.node;
  return first ? nodes_.end() : std::prev(life);
}

SshBackend::Life SshBackend::begin(const NodeRef& ref, const JobHost& host, const std::string& tag) {
  const Life life{ref, ++lives_};
  Node& node = nodes_[life];
  node.host = host.name;
  node.environment = jobs_.at(ref.job).environment;
  node.tag = tag;
  node.since = loop_.now();
  return life;
}

void SshBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  const JobHost* host = host_of(node);
  if (host == nullptr)
    return loop_.post([done] { done(Status(Code::internal, "nobody said which host this node is")); });
  const Life life = begin(node, *host, tag_of(node));
  nodes_.at(life).done = std::move(done);
  open(life, first_task(node.job));
}

void SshBackend::adopt(const NodeRef& node, const std::string& text) {
  const JobHost* host = host_of(node);
  const Token token = token_of(text);
  if (host == nullptr || token.host != host->name) {
    const Life life{node, ++lives_};
    nodes_[life].host = text;
    return loop_.post([this, alive = alive_, life] {
      if (*alive) gone(life, "nothing is known of where its agent runs");
    });
  }
  jobs_.at(node.job).were_up.insert(node.node);
  const Life life = begin(node, *host, token.tag);
  nodes_.at(life).agent = token.agent;
  open(life, Task::resume);
}

void SshBackend::open(const Life& life, Task task) {
  Node& node = nodes_.at(life);
  spent_.take(std::move(node.link));
  loop_.cancel(std::exchange(node.timer, 0));
  loop_.cancel(std::exchange(node.hello_timer, 0));
  node.task = task;
  // Never two agents of a node: who comes waits until nothing of before lives.
  node.waits = task != Task::end && before(nodes_.find(life)) != nodes_.end();
  if (node.waits) return;
  HostCall call{
      node.host, node.environment, {"relay", flag_of(task == Task::listen, task == Task::resume), node.tag}, node.tag};
  if (task == Task::code) {
    node.link = bring_code(life, call);
    return;
  }
  const auto arrived = [this, life, task] {
    if (task != Task::end) expect_hello(life);
  };
  node.link = links_.open(call, {arrived, [this, life](const HostLinkEnd& end) { ended(life, end); },
                                 [this, life](const HostTrouble& trouble) { failed(life, trouble); }});
}

std::unique_ptr<HostLink> SshBackend::bring_code(const Life& life, const HostCall& call) {
  const JobId& job = life.node.job;
  Node& node = nodes_.at(life);
  if (!node.code_since) node.code_since = loop_.now();
  return links_.deliver(call, job, jobs_.at(job).code, [this, life](const std::optional<HostTrouble>& trouble) {
    if (trouble) return failed(life, *trouble);
    open(life, Task::listen);
  });
}

void SshBackend::expect_hello(const Life& life) {
  Node& node = nodes_.at(life);
  node.hello_timer = loop_.at(loop_.now() + kLateHello, [this, life] {
    Node& late = nodes_.at(life);
    if (remark_ && !late.released)
      remark_(life.node.job,
              late.host + " has been entered, but its agent has not said hello for " + humane_duration(kLateHello));
    late.hello_timer = loop_.at(loop_.now() + (kMissedHello - kLateHello), [this, life] { missed_hello(life); });
  });
}

// Who was to be placed there is ended, and placed again where a host is waited for; one that had come before may be stopped for a while.
void SshBackend::missed_hello(const Life& life) {
  Node& node = nodes_.at(life);
  node.hello_timer = 0;
  if (!node.done) return;
  const auto done = std::exchange(node.done, nullptr);
  const std::string host = node.host;
  release(life);
  if (was_up(life.node)) return place(life.node, done);
  done(Status(Code::unavailable, host + ": it was entered, but no agent there said hello for " +
                                     humane_duration(kMissedHello) + "; does its home folder answer? ssh " + host +
                                     " ls"));
}

bool SshBackend::was_up(const NodeRef& node) const {
  const auto job = jobs_.find(node.job);
  return job != jobs_.end() && job->second.were_up.count(node.node) > 0;
}

void SshBackend::failed(const Life& life, const HostTrouble& trouble) {
  const Node& node = nodes_.at(life);
  const bool may_pass = trouble.passes && loop_.now() - node.since < kPatienceToEnter;
  if (!node.done || was_up(life.node) || may_pass) return try_again(life, trouble);
  gone(life, sentence_of(trouble));
}

// What a relay came to, or ssh, which counts as nothing but a link that is lost.
void SshBackend::ended(const Life& life, const HostLinkEnd& end) {
  loop_.cancel(std::exchange(nodes_.at(life).hello_timer, 0));
  switch (end.code) {
    case kRelayAgentLeft: return gone(life, "its agent ended");
    case kRelayAgentDied: return gone(life, end.said.empty() ? "its agent died" : escaped(end.said));
    case kRelayNothingHere: return nothing_lives(life);
    case kRelayHungUp: return try_again(life, {"its agent dials again", "", false});
    default: break;
  }
  const std::string code = end.code == kRelayFailed ? "" : " (code " + std::to_string(end.code) + ")";
  const bool passes = end.code != kRelayFailed;
  failed(life, {"the link to it ended" + code + (end.said.empty() ? "" : ": " + escaped(end.said)), "", false, passes});
}

// A host that was waited for has what its node needs once more.
void SshBackend::nothing_lives(const Life& life) {
  Node& node = nodes_.at(life);
  if (!node.done)
    return gone(life, "nothing of it lives on " + node.host + " any more, as after a restart of the host");
  node.tag = tag_of(life.node);
  open(life, first_task(life.node.job));
}

void SshBackend::try_again(const Life& life, const HostTrouble& trouble) {
  Node& node = nodes_.at(life);
  spent_.take(std::move(node.link));
  node.asks = trouble.asks;
  tell_trouble(life, trouble);
  const auto next = std::next(nodes_.find(life));
  const bool in_the_way = next != nodes_.end() && next->first.node == life.node;
  // Who waits for it says so.
  if (in_the_way && node.tries == 1) tell_trouble(next->first, trouble);
  if (node.released && !in_the_way && loop_.now() >= node.give_up) return give_up(life, trouble);
  ++node.tries;
  node.backoff = node.backoff == Duration(0) ? kFirstTry : std::min(node.backoff * 2, kLongestWait);
  loop_.cancel(node.timer);
  node.timer = loop_.at(loop_.now() + node.backoff, [this, life] { next_try(life); });
}

void SshBackend::next_try(const Life& life) {
  const Node& node = nodes_.at(life);
  // The host may have begun what it was last asked for. And silence is no fault of an agent whose host is out of reach: who
  // was to be ended is not, unless it is silent there too.
  const Task same = node.task == Task::code ? Task::code : Task::resume;
  open(life, node.released ? Task::end : same);
}

void SshBackend::give_up(const Life& life, const HostTrouble& trouble) {
  log_.warning(name_of(life.node.job) + " is over, but " + nodes_.at(life).host + " was not reached for " +
               humane_duration(kPatienceToEnd) +
               ", so that something of it may still run there: " + sentence_of(trouble));
  gone(life, "");
}

std::string SshBackend::name_of(const JobId& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? job.text() : found->second.name;
}

// One try in vain is nobody's business: a link that was cut is back within seconds.
void SshBackend::tell_trouble(const Life& life, const HostTrouble& trouble) {
  const Node& node = nodes_.at(life);
  const JobId& job = life.node.job;
  if (!remark_ || node.released || (node.tries != 1 && !node.waits)) return;
  if (trouble.asks)
    return remark_(job, node.host + " waits for you: " + trouble.sentence + "; muster attach " + name_of(job));
  remark_(job, node.done ? "the job waits for " + node.host + ": " + sentence_of(trouble)
                         : "the link to " + node.host + " is lost: " + sentence_of(trouble) +
                               "; what runs there goes on, and the link is tried again");
}

void SshBackend::agent_arrived(ArrivedAgent agent) {
  // Only coordinator proxies and agents of this machine bring these.
  agent.hello.offer.reset();
  agent.hello.returned = false;
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& each) {
    return each.second.tag == agent.peer && !agent.peer.empty();
  });
  if (found == nodes_.end()) return dismiss_agent(loop_, std::move(agent.channel));
  const NodeRef ref = found->first.node;
  Node& node = found->second;
  const bool as_bound = agent.hello.job.empty() || (agent.hello.job == ref.job && agent.hello.node == ref.node);
  const bool first = node.done != nullptr && agent.hello.job.empty();
  if (!as_bound || (!first && agent.hello.incarnation != node.agent) || (!first && !returned_))
    return dismiss_agent(loop_, std::move(agent.channel));
  if (node.tries > 1 && remark_ && !node.released) remark_(ref.job, node.host + " is reached again");
  loop_.cancel(std::exchange(node.hello_timer, 0));
  node.tries = 0;
  node.asks = false;
  node.backoff = Duration(0);
  if (!first) return returned_(std::move(agent));
  if (const auto job = jobs_.find(ref.job); job != jobs_.end()) job->second.were_up.insert(ref.node);
  node.agent = agent.hello.incarnation;
  const std::string token = text_of({node.host, node.tag, node.agent});
  const Duration code_took = node.code_since ? loop_.now() - *node.code_since : Duration(0);
  std::exchange(node.done, nullptr)(PlacedAgent{std::move(agent), token, code_took});
}

// Nothing of the node is alive any more.
void SshBackend::gone(const Life& life, const std::string& how) {
  const auto found = nodes_.find(life);
  if (found == nodes_.end()) return;
  const auto next = std::next(found);
  const bool awaited = next != nodes_.end() && next->first.node == life.node && next->second.waits;
  const Life after = awaited ? next->first : Life();
  Node node = std::move(found->second);
  nodes_.erase(found);
  loop_.cancel(node.timer);
  loop_.cancel(node.hello_timer);
  spent_.take(std::move(node.link));
  if (awaited) {
    nodes_.at(after).since = loop_.now();
    open(after, nodes_.at(after).task);
  }
  if (node.done) {
    node.done(Status(Code::unavailable, node.host + ": " + how));
  } else if (!node.released && lost_) {
    lost_(life.node, how);
  }
}

std::vector<std::string> SshBackend::asking_hosts(const JobId& job) const {
  std::vector<std::string> hosts;
  for (auto at = nodes_.lower_bound({{job, 0}, 0}); at != nodes_.end() && at->first.node.job == job; ++at) {
    if (at->second.asks && !at->second.released) hosts.push_back(at->second.host);
  }
  return hosts;
}

void SshBackend::end(const NodeRef& node) {
  const auto found = current(node);
  if (found != nodes_.end() && found->second.task != Task::end) open(found->first, Task::end);
}

void SshBackend::release(const NodeRef& node) {
  const auto found = current(node);
  if (found != nodes_.end()) release(found->first);
}

void SshBackend::release(const Life& life) {
  Node& node = nodes_.at(life);
  if (std::exchange(node.released, true)) return;
  node.give_up = loop_.now() + kPatienceToEnd;
  node.tries = 0;
  node.backoff = Duration(0);
  node.done = nullptr;
  if (node.waits) return gone(life, "");  // nothing of it was begun
  // An agent that never said hello has nobody to dismiss it.
  if (node.agent == 0) return open(life, Task::end);
  if (node.link == nullptr || node.task == Task::end) return;
  node.timer = loop_.at(loop_.now() + kLeaveGrace, [this, life] { open(life, Task::end); });
}

}  // namespace muster
