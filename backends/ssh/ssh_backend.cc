// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/ssh_backend.h"

#include <algorithm>

#include "backends/ssh/agent_token.h"
#include "core/base/text.h"
#include "core/job/plan/host_room.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

constexpr Duration kFirstTry = std::chrono::seconds(1);
constexpr Duration kLongestWait = std::chrono::seconds(30);
// A dismissed agent first sends the rest of its ranks' output.
constexpr Duration kLeaveGrace = std::chrono::seconds(45);
// Time limit for retries of an unreachable host after its job has ended.
constexpr Duration kPatienceToEnd = std::chrono::minutes(10);
// Time limit for retries after a temporary problem of a host whose node was never up.
constexpr Duration kPatienceToConnect = std::chrono::minutes(2);
// After the ssh login. An agent usually starts in well under a second.
constexpr Duration kLateHello = std::chrono::seconds(20);
constexpr Duration kMissedHello = std::chrono::seconds(60);
constexpr size_t kTagLetters = 13;  // 5 bits each

const char* flag_of(bool listen, bool resume) { return listen ? "--listen" : resume ? "--resume" : "--end"; }

}  // namespace

SshBackend::~SshBackend() {
  *alive_ = false;
  for (const auto& [placement, node] : nodes_) {
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

// "JOB-NODE-RANDOM". It names the files of the link on the host (backends/ssh/relay/link_place.h).
std::string SshBackend::tag_of(const NodeRef& node) {
  std::string random;
  for (size_t i = 0; i < kTagLetters; ++i) random += "abcdefghijklmnopqrstuvwxyz234567"[random_.below(32)];
  return node.job.text() + "-" + std::to_string(node.node) + "-" + random;
}

SshBackend::Task SshBackend::first_task(const JobId& job) const {
  return jobs_.at(job).code.hash.empty() ? Task::listen : Task::code;
}

// The newest placement of the node.
SshBackend::Nodes::iterator SshBackend::current(const NodeRef& node) {
  const auto next = nodes_.upper_bound({node, UINT64_MAX});
  return next == nodes_.begin() || std::prev(next)->first.node != node ? nodes_.end() : std::prev(next);
}

std::optional<int64_t> SshBackend::stopped_agent(const NodeRef& node) const {
  const auto next = nodes_.upper_bound({node, UINT64_MAX});
  const bool none = next == nodes_.begin() || std::prev(next)->first.node != node;
  return none ? std::nullopt : stopped_.find(std::prev(next)->second.tag);
}

void SshBackend::resume(const NodeRef& node) {
  const auto found = current(node);
  if (found != nodes_.end()) wake(found->second);
}

void SshBackend::wake(const Node& node) { stopped_.wake(node.tag, node.host, node.environment); }

// A dismissed agent cannot leave while it is stopped.
void SshBackend::note_stopped(const Placement& placement, std::optional<int64_t> pid) {
  const Node& node = nodes_.at(placement);
  stopped_.note(node.tag, pid);
  if (node.released) wake(node);
}

// The placement of the same node before `placement`, whose agent has not ended yet.
SshBackend::Nodes::iterator SshBackend::previous(Nodes::iterator placement) {
  const bool first = placement == nodes_.begin() || std::prev(placement)->first.node != placement->first.node;
  return first ? nodes_.end() : std::prev(placement);
}

SshBackend::Placement SshBackend::begin(const NodeRef& ref, const JobHost& host, const std::string& tag) {
  const Placement placement{ref, ++placements_};
  Node& node = nodes_[placement];
  node.host = host.name;
  node.environment = jobs_.at(ref.job).environment;
  node.tag = tag;
  node.since = loop_.now();
  return placement;
}

void SshBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  const JobHost* host = host_of(node);
  if (host == nullptr)
    return loop_.post([done] { done(Status(Code::internal, "the job's claim names no host for this node")); });
  const Placement placement = begin(node, *host, tag_of(node));
  nodes_.at(placement).done = std::move(done);
  open(placement, first_task(node.job));
}

void SshBackend::adopt(const NodeRef& node, const std::string& text) {
  const JobHost* host = host_of(node);
  const AgentToken token = agent_token(text);
  if (host == nullptr || token.host != host->name) {
    const Placement placement{node, ++placements_};
    nodes_[placement].host = text;
    return loop_.post([this, alive = alive_, placement] {
      if (*alive) node_gone(placement, "there is no valid record of where its agent runs");
    });
  }
  jobs_.at(node.job).were_up.insert(node.node);
  const Placement placement = begin(node, *host, token.tag);
  nodes_.at(placement).agent = token.agent;
  open(placement, Task::resume);
}

void SshBackend::open(const Placement& placement, Task task) {
  Node& node = nodes_.at(placement);
  spent_.take(std::move(node.link));
  stopped_.note(node.tag, std::nullopt);
  loop_.cancel(std::exchange(node.timer, 0));
  loop_.cancel(std::exchange(node.hello_timer, 0));
  node.task = task;
  // A node never has two agents: a new placement waits for the end of the previous one.
  node.waits = task != Task::end && previous(nodes_.find(placement)) != nodes_.end();
  if (node.waits) return;
  HostCall call{
      node.host, node.environment, {"relay", flag_of(task == Task::listen, task == Task::resume), node.tag}, node.tag};
  if (task == Task::code) {
    node.link = copy_code(placement, call);
    return;
  }
  const auto arrived = [this, placement, task] {
    if (task != Task::end) expect_hello(placement);
  };
  node.link = links_.open(call, {arrived, [this, placement](const HostLinkEnd& end) { ended(placement, end); },
                                 [this, placement](const HostTrouble& trouble) { failed(placement, trouble); },
                                 [this, placement](std::optional<int64_t> pid) { note_stopped(placement, pid); }});
}

std::unique_ptr<HostLink> SshBackend::copy_code(const Placement& placement, const HostCall& call) {
  const JobId& job = placement.node.job;
  Node& node = nodes_.at(placement);
  if (!node.code_since) node.code_since = loop_.now();
  return links_.deliver(call, job, jobs_.at(job).code, [this, placement](const std::optional<HostTrouble>& trouble) {
    if (trouble) return failed(placement, *trouble);
    open(placement, Task::listen);
  });
}

void SshBackend::expect_hello(const Placement& placement) {
  Node& node = nodes_.at(placement);
  node.hello_timer = loop_.at(loop_.now() + kLateHello, [this, placement] {
    Node& late = nodes_.at(placement);
    if (remark_ && !late.released)
      remark_(placement.node.job, "connected to " + late.host + " by ssh, but its agent has not reported within " +
                                      humane_duration(kLateHello));
    late.hello_timer =
        loop_.at(loop_.now() + (kMissedHello - kLateHello), [this, placement] { missed_hello(placement); });
  });
}

// Ends the agent that did not report. The node is placed again if it was up before; otherwise its placement fails.
void SshBackend::missed_hello(const Placement& placement) {
  Node& node = nodes_.at(placement);
  node.hello_timer = 0;
  if (!node.done) return;
  const auto done = std::exchange(node.done, nullptr);
  const std::string host = node.host;
  release(placement);
  if (was_up(placement.node)) return place(placement.node, done);
  done(Status(Code::unavailable, host + ": connected by ssh, but no agent reported within " +
                                     humane_duration(kMissedHello) + "; check that its home folder responds: ssh " +
                                     host + " ls"));
}

bool SshBackend::was_up(const NodeRef& node) const {
  const auto job = jobs_.find(node.job);
  return job != jobs_.end() && job->second.were_up.count(node.node) > 0;
}

void SshBackend::failed(const Placement& placement, const HostTrouble& trouble) {
  const Node& node = nodes_.at(placement);
  const bool may_pass = trouble.passes && loop_.now() - node.since < kPatienceToConnect;
  if (!node.done || was_up(placement.node) || may_pass) return try_again(placement, trouble);
  node_gone(placement, sentence_of(trouble));
}

// The relay or ssh has exited. Exit codes of ssh itself mean only that the link is lost.
void SshBackend::ended(const Placement& placement, const HostLinkEnd& end) {
  loop_.cancel(std::exchange(nodes_.at(placement).hello_timer, 0));
  stopped_.note(nodes_.at(placement).tag, std::nullopt);
  switch (end.code) {
    case kRelayAgentLeft: return node_gone(placement, "its agent ended");
    case kRelayAgentDied: return node_gone(placement, end.said.empty() ? "its agent failed" : escaped(end.said));
    case kRelayNothingHere: return agent_not_found(placement);
    case kRelayHungUp: return try_again(placement, {"its agent closed the connection and reconnects", "", false});
    default: break;
  }
  const std::string code = end.code == kRelayFailed ? "" : " (code " + std::to_string(end.code) + ")";
  const bool passes = end.code != kRelayFailed;
  failed(placement,
         {"the ssh session ended" + code + (end.said.empty() ? "" : ": " + escaped(end.said)), "", false, passes});
}

// The host reports that no agent of this tag runs. A placement in progress starts a new agent; otherwise the node is lost.
void SshBackend::agent_not_found(const Placement& placement) {
  Node& node = nodes_.at(placement);
  if (!node.done)
    return node_gone(placement, "its agent no longer runs on " + node.host + "; the host may have restarted");
  node.tag = tag_of(placement.node);
  open(placement, first_task(placement.node.job));
}

void SshBackend::try_again(const Placement& placement, const HostTrouble& trouble) {
  Node& node = nodes_.at(placement);
  spent_.take(std::move(node.link));
  node.asks = trouble.asks;
  report_trouble(placement, trouble);
  const auto next = std::next(nodes_.find(placement));
  const bool delays_next = next != nodes_.end() && next->first.node == placement.node;
  // The next placement of the node waits for this one, so it reports the problem.
  if (delays_next && node.tries == 1) report_trouble(next->first, trouble);
  if (node.released && !delays_next && loop_.now() >= node.give_up) return give_up(placement, trouble);
  ++node.tries;
  node.backoff = node.backoff == Duration(0) ? kFirstTry : std::min(node.backoff * 2, kLongestWait);
  loop_.cancel(node.timer);
  node.timer = loop_.at(loop_.now() + node.backoff, [this, placement] { next_try(placement); });
}

void SshBackend::next_try(const Placement& placement) {
  const Node& node = nodes_.at(placement);
  // Resume: the host may have started the agent at the last try. A hanging agent that end() should kill is resumed, too: the silence
  // may only be that of its unreachable host. If the agent is silent after that, end() is called again.
  const Task same = node.task == Task::code ? Task::code : Task::resume;
  open(placement, node.released ? Task::end : same);
}

void SshBackend::give_up(const Placement& placement, const HostTrouble& trouble) {
  log_.warning("job " + name_of(placement.node.job) + " has ended, but host " + nodes_.at(placement).host +
               " was unreachable for " + humane_duration(kPatienceToEnd) +
               "; processes of the job may still run there: " + sentence_of(trouble));
  node_gone(placement, "");
}

std::string SshBackend::name_of(const JobId& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? job.text() : found->second.name;
}

// Reports the second failure in a row, once: after a single one the link is usually back within seconds.
void SshBackend::report_trouble(const Placement& placement, const HostTrouble& trouble) {
  const Node& node = nodes_.at(placement);
  const JobId& job = placement.node.job;
  if (!remark_ || node.released || (node.tries != 1 && !node.waits)) return;
  if (trouble.asks)
    return remark_(job, "connecting to " + node.host + " needs your input: " + trouble.sentence +
                            "; run muster attach " + name_of(job));
  remark_(job, node.done ? "the job waits for " + node.host + ": " + sentence_of(trouble)
                         : "the link to " + node.host + " is lost: " + sentence_of(trouble) +
                               "; its ranks continue, and muster reconnects");
}

void SshBackend::agent_arrived(ArrivedAgent agent) {
  // Only coordinator proxies and agents of this machine may set these fields.
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
  if (node.tries > 1 && remark_ && !node.released) remark_(ref.job, node.host + " is reachable again");
  loop_.cancel(std::exchange(node.hello_timer, 0));
  node.tries = 0;
  node.asks = false;
  node.backoff = Duration(0);
  if (!first) return returned_(std::move(agent));
  if (const auto job = jobs_.find(ref.job); job != jobs_.end()) job->second.were_up.insert(ref.node);
  node.agent = agent.hello.incarnation;
  const std::string token = text_of(AgentToken{node.host, node.tag, node.agent});
  const Duration code_took = node.code_since ? loop_.now() - *node.code_since : Duration(0);
  std::exchange(node.done, nullptr)(PlacedAgent{std::move(agent), token, code_took});
}

// No process of the node is alive any more.
void SshBackend::node_gone(const Placement& placement, const std::string& how) {
  const auto found = nodes_.find(placement);
  if (found == nodes_.end()) return;
  const auto next = std::next(found);
  const bool next_waits = next != nodes_.end() && next->first.node == placement.node && next->second.waits;
  const Placement after = next_waits ? next->first : Placement();
  Node node = std::move(found->second);
  nodes_.erase(found);
  loop_.cancel(node.timer);
  loop_.cancel(node.hello_timer);
  spent_.take(std::move(node.link));
  stopped_.note(node.tag, std::nullopt);
  if (next_waits) {
    nodes_.at(after).since = loop_.now();
    open(after, nodes_.at(after).task);
  }
  if (node.done) {
    node.done(Status(Code::unavailable, node.host + ": " + how));
  } else if (!node.released && lost_) {
    lost_(placement.node, how);
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

void SshBackend::release(const Placement& placement) {
  Node& node = nodes_.at(placement);
  if (std::exchange(node.released, true)) return;
  node.give_up = loop_.now() + kPatienceToEnd;
  node.tries = 0;
  node.backoff = Duration(0);
  node.done = nullptr;
  if (node.waits) return node_gone(placement, "");  // nothing was started
  // An agent that has not reported cannot be dismissed by a message.
  if (node.agent == 0) return open(placement, Task::end);
  if (node.link == nullptr || node.task == Task::end) return;
  wake(node);
  node.timer = loop_.at(loop_.now() + kLeaveGrace, [this, placement] { open(placement, Task::end); });
}

}  // namespace muster
