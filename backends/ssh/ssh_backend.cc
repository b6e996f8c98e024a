#include "backends/ssh/ssh_backend.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/model/plan_hosts.h"
#include "core/port/send_away.h"

namespace muster {
namespace {

constexpr Duration kFirstTry = std::chrono::seconds(1);
constexpr Duration kLongestWait = std::chrono::seconds(30);
// A dismissed agent hands over what its ranks wrote before it leaves.
constexpr Duration kLeaveGrace = std::chrono::seconds(45);
// Its job is over; a host may be gone for good.
constexpr Duration kPatienceToEnd = std::chrono::minutes(10);
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
  for (const auto& [ref, node] : nodes_) loop_.cancel(node.timer);
}

Result<Plan> SshBackend::plan(const JobSpec& spec, const std::vector<Holder>&, const JobOrigin& origin) {
  return plan_on_hosts(spec, origin.hosts);
}

Status SshBackend::claim(const JobOnNodes& claimed) {
  Job job{claimed.name, {}, claimed.environment, claimed.code, {}};
  for (const PlannedNode& node : claimed.plan.nodes) {
    if (claimed.anyway) job.were_up.insert(static_cast<NodeIndex>(job.hosts.size()));
    const auto found = std::find_if(claimed.hosts.begin(), claimed.hosts.end(),
                                    [&](const JobHost& host) { return host.name == node.host; });
    job.hosts.push_back(found == claimed.hosts.end() ? JobHost{node.host, "", "", 0, {}} : *found);
  }
  jobs_[claimed.job] = std::move(job);
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
  return host == nullptr || host->loopback.empty() ? Backend::loopback(node) : host->loopback;
}

// "JOB-NODE-RANDOM": by it a host finds what is left of a node (launcher/relay/link_place.h).
std::string SshBackend::tag_of(const NodeRef& node) {
  std::string random;
  for (size_t i = 0; i < kTagLetters; ++i) random += "abcdefghijklmnopqrstuvwxyz234567"[random_.below(32)];
  return node.job.text() + "-" + std::to_string(node.node) + "-" + random;
}

SshBackend::Task SshBackend::first_task(const JobId& job) const {
  return jobs_.at(job).code.hash.empty() ? Task::listen : Task::code;
}

SshBackend::Node& SshBackend::begin(const NodeRef& ref, const JobHost& host, const std::string& tag, Task task) {
  Node& node = nodes_[ref];
  node.host = host.name;
  node.environment = jobs_.at(ref.job).environment;
  node.tag = tag;
  open(ref, task);
  return node;
}

void SshBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  const JobHost* host = host_of(node);
  const auto left = nodes_.extract(node);  // a released one that is still being ended has its own name
  if (!left.empty()) loop_.cancel(left.mapped().timer);
  if (host == nullptr)
    return loop_.post([done] { done(Status(Code::internal, "nobody said which host this node is")); });
  begin(node, *host, tag_of(node), first_task(node.job)).done = std::move(done);
}

void SshBackend::adopt(const NodeRef& node, const std::string& text) {
  const JobHost* host = host_of(node);
  const Token token = token_of(text);
  if (host == nullptr || token.host != host->name) {
    nodes_[node].host = text;
    return loop_.post([this, alive = alive_, node] {
      if (*alive) gone(node, "nothing is known of where its agent runs");
    });
  }
  jobs_.at(node.job).were_up.insert(node.node);
  begin(node, *host, token.tag, Task::resume).agent = token.agent;
}

// A link is not destroyed from within its own handler.
void SshBackend::drop_link(Node& node) {
  loop_.post([gone = std::shared_ptr<HostLink>(std::move(node.link))] {});
}

void SshBackend::open(const NodeRef& ref, Task task) {
  Node& node = nodes_.at(ref);
  drop_link(node);
  loop_.cancel(std::exchange(node.timer, 0));
  node.task = task;
  HostCall call{
      node.host, node.environment, {"relay", flag_of(task == Task::listen, task == Task::resume), node.tag}, node.tag};
  if (task == Task::code) {
    node.link = bring_code(ref, call);
    return;
  }
  node.link = links_.open(call, {[] {}, [this, ref](const HostLinkEnd& end) { ended(ref, end); },
                                 [this, ref](const HostTrouble& trouble) { failed(ref, trouble); }});
}

std::unique_ptr<HostLink> SshBackend::bring_code(const NodeRef& ref, const HostCall& call) {
  return links_.deliver(call, ref.job, jobs_.at(ref.job).code, [this, ref](const std::optional<HostTrouble>& trouble) {
    if (trouble) return failed(ref, *trouble);
    open(ref, Task::listen);
  });
}

void SshBackend::failed(const NodeRef& ref, const HostTrouble& trouble) {
  const auto job = jobs_.find(ref.job);
  const bool was_up = job != jobs_.end() && job->second.were_up.count(ref.node) > 0;
  if (!nodes_.at(ref).done || was_up) return try_again(ref, trouble);
  gone(ref, sentence_of(trouble));
}

// What a relay came to, or ssh, which counts as nothing but a link that is lost.
void SshBackend::ended(const NodeRef& ref, const HostLinkEnd& end) {
  switch (end.code) {
    case kRelayAgentLeft: return gone(ref, "its agent ended");
    case kRelayAgentDied: return gone(ref, end.said.empty() ? "its agent died" : escaped(end.said));
    case kRelayNothingHere: return nothing_lives(ref);
    case kRelayHungUp: return try_again(ref, {"its agent dials again", "", false});
    default: break;
  }
  const std::string code = end.code == kRelayFailed ? "" : " (code " + std::to_string(end.code) + ")";
  failed(ref, {"the link to it ended" + code + (end.said.empty() ? "" : ": " + escaped(end.said)), "", false});
}

// A host that was waited for has what its node needs once more.
void SshBackend::nothing_lives(const NodeRef& ref) {
  Node& node = nodes_.at(ref);
  if (!node.done) return gone(ref, "nothing of it lives on " + node.host + " any more, as after a restart of the host");
  node.tag = tag_of(ref);
  open(ref, first_task(ref.job));
}

void SshBackend::try_again(const NodeRef& ref, const HostTrouble& trouble) {
  Node& node = nodes_.at(ref);
  drop_link(node);
  node.asks = trouble.asks;
  tell_trouble(ref, trouble);
  if (node.released && loop_.now() >= node.give_up) return give_up(ref, trouble);
  ++node.tries;
  node.backoff = node.backoff == Duration(0) ? kFirstTry : std::min(node.backoff * 2, kLongestWait);
  loop_.cancel(node.timer);
  node.timer = loop_.at(loop_.now() + node.backoff, [this, ref] { next_try(ref); });
}

void SshBackend::next_try(const NodeRef& ref) {
  const Node& node = nodes_.at(ref);
  // The host may have begun what it was last asked for. And silence is no fault of an agent whose host is out of reach: who
  // was to be ended is not, unless it is silent there too.
  const Task same = node.task == Task::code ? Task::code : Task::resume;
  open(ref, node.released ? Task::end : same);
}

void SshBackend::give_up(const NodeRef& ref, const HostTrouble& trouble) {
  log_.warning(name_of(ref.job) + " is over, but " + nodes_.at(ref).host + " was not reached for " +
               humane_duration(kPatienceToEnd) +
               ", so that something of it may still run there: " + sentence_of(trouble));
  gone(ref, "");
}

std::string SshBackend::name_of(const JobId& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? job.text() : found->second.name;
}

// One try in vain is nobody's business: a link that was cut is back within seconds.
void SshBackend::tell_trouble(const NodeRef& ref, const HostTrouble& trouble) {
  const Node& node = nodes_.at(ref);
  if (!remark_ || node.released || node.tries != 1) return;
  if (trouble.asks)
    return remark_(ref.job, node.host + " waits for you: " + trouble.sentence + "; muster attach " + name_of(ref.job));
  remark_(ref.job, node.done ? "the job waits for " + node.host + ": " + sentence_of(trouble)
                             : "the link to " + node.host + " is lost: " + sentence_of(trouble) +
                                   "; what runs there goes on, and the link is tried again");
}

void SshBackend::agent_arrived(ArrivedAgent agent) {
  // Only deputies and agents of this machine bring these.
  agent.hello.offer.reset();
  agent.hello.warm.clear();
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& each) {
    return each.second.tag == agent.peer && !agent.peer.empty();
  });
  if (found == nodes_.end()) return send_away(loop_, std::move(agent.channel));
  const auto& [ref, node] = *found;
  const bool as_bound = agent.hello.job.empty() || (agent.hello.job == ref.job && agent.hello.node == ref.node);
  const bool first = node.done != nullptr && agent.hello.job.empty();
  if (!as_bound || (!first && agent.hello.incarnation != node.agent) || (!first && !returned_))
    return send_away(loop_, std::move(agent.channel));
  if (found->second.tries > 1 && remark_ && !node.released) remark_(ref.job, node.host + " is reached again");
  found->second.tries = 0;
  found->second.asks = false;
  found->second.backoff = Duration(0);
  if (!first) return returned_(std::move(agent));
  if (const auto job = jobs_.find(ref.job); job != jobs_.end()) job->second.were_up.insert(ref.node);
  found->second.agent = agent.hello.incarnation;
  const std::string token = text_of({node.host, node.tag, node.agent});
  std::exchange(found->second.done, nullptr)(PlacedAgent{std::move(agent), token});
}

// Nothing of the node is alive any more.
void SshBackend::gone(const NodeRef& ref, const std::string& how) {
  auto entry = nodes_.extract(ref);
  if (entry.empty()) return;
  Node& node = entry.mapped();
  loop_.cancel(node.timer);
  drop_link(node);
  if (node.done) {
    node.done(Status(Code::unavailable, node.host + ": " + how));
  } else if (!node.released && lost_) {
    lost_(ref, how);
  }
}

std::vector<std::string> SshBackend::asking_hosts(const JobId& job) const {
  std::vector<std::string> hosts;
  for (auto at = nodes_.lower_bound({job, 0}); at != nodes_.end() && at->first.job == job; ++at) {
    if (at->second.asks && !at->second.released) hosts.push_back(at->second.host);
  }
  return hosts;
}

void SshBackend::end(const NodeRef& node) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && found->second.task != Task::end) open(node, Task::end);
}

void SshBackend::release(const NodeRef& ref) {
  const auto found = nodes_.find(ref);
  if (found == nodes_.end() || std::exchange(found->second.released, true)) return;
  Node& node = found->second;
  node.give_up = loop_.now() + kPatienceToEnd;
  node.tries = 0;
  node.backoff = Duration(0);
  // An agent that never said hello has nobody to dismiss it.
  if (std::exchange(node.done, nullptr)) return open(ref, Task::end);
  if (node.link == nullptr || node.task == Task::end) return;
  node.timer = loop_.at(loop_.now() + kLeaveGrace, [this, ref] { open(ref, Task::end); });
}

}  // namespace muster
