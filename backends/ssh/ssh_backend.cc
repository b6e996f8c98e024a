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
// A host that does not answer may have nothing left to end: its job is over, and its agent leaves by itself.
constexpr uint32_t kMostTriesToEnd = 20;
constexpr size_t kTagLetters = 13;  // of 5 bits

std::string sentence_of(const HostTrouble& trouble) {
  return trouble.sentence + (trouble.next.empty() ? "" : "; " + trouble.next);
}

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
  Job job{claimed.name, {}, claimed.environment, claimed.code};
  for (const PlannedNode& node : claimed.plan.nodes) {
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
  const bool travels = !jobs_.at(node.job).code.hash.empty();
  begin(node, *host, tag_of(node), travels ? Task::code : Task::listen).done = std::move(done);
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
  Node& node = nodes_.at(ref);
  if (!node.done) return try_again(ref, trouble);
  gone(ref, sentence_of(trouble));
}

// What a relay came to, or ssh, which counts as nothing but a link that is lost.
void SshBackend::ended(const NodeRef& ref, const HostLinkEnd& end) {
  const std::string& host = nodes_.at(ref).host;
  switch (end.code) {
    case kRelayAgentLeft: return gone(ref, "its agent ended");
    case kRelayAgentDied: return gone(ref, end.said.empty() ? "its agent died" : escaped(end.said));
    case kRelayNothingHere:
      return gone(ref, "nothing of it lives on " + host + " any more, as after a restart of the host");
    case kRelayHungUp: return try_again(ref, {"its agent dials again", "", false});
    default: break;
  }
  const std::string code = end.code == kRelayFailed ? "" : " (code " + std::to_string(end.code) + ")";
  failed(ref, {"the link to it ended" + code + (end.said.empty() ? "" : ": " + escaped(end.said)), "", false});
}

void SshBackend::try_again(const NodeRef& ref, const HostTrouble& trouble) {
  Node& node = nodes_.at(ref);
  drop_link(node);
  tell_trouble(ref, trouble);
  if (++node.tries > kMostTriesToEnd && node.released) return gone(ref, "");
  node.backoff = node.backoff == Duration(0) ? kFirstTry : std::min(node.backoff * 2, kLongestWait);
  const Task next = node.task == Task::listen ? Task::resume : node.task;
  loop_.cancel(node.timer);
  node.timer = loop_.at(loop_.now() + node.backoff, [this, ref, next] { open(ref, next); });
}

// One try in vain is nobody's business: a link that was cut is back within seconds.
void SshBackend::tell_trouble(const NodeRef& ref, const HostTrouble& trouble) {
  const Node& node = nodes_.at(ref);
  if (!remark_ || node.released || node.tries != 1) return;
  const auto job = jobs_.find(ref.job);
  const std::string name = job == jobs_.end() ? ref.job.text() : job->second.name;
  remark_(ref.job, trouble.asks ? node.host + " waits for you: " + trouble.sentence + "; muster attach " + name
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
  found->second.backoff = Duration(0);
  if (!first) return returned_(std::move(agent));
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

void SshBackend::end(const NodeRef& node) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && found->second.task != Task::end) open(node, Task::end);
}

void SshBackend::release(const NodeRef& ref) {
  const auto found = nodes_.find(ref);
  if (found == nodes_.end() || std::exchange(found->second.released, true)) return;
  Node& node = found->second;
  // An agent that never said hello has nobody to dismiss it.
  if (std::exchange(node.done, nullptr)) return open(ref, Task::end);
  if (node.link == nullptr || node.task == Task::end) return;
  node.timer = loop_.at(loop_.now() + kLeaveGrace, [this, ref] { open(ref, Task::end); });
}

}  // namespace muster
