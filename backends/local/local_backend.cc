// SPDX-License-Identifier: Apache-2.0
#include "backends/local/local_backend.h"

#include <algorithm>
#include <csignal>

#include "backends/local/agent_signals.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// Timeout for the exit of a dismissed agent.
constexpr Duration kLeaveGrace = std::chrono::seconds(10);

std::string text_of(const ProcessIdentity& identity) {
  return std::to_string(identity.pid) + "@" + std::to_string(identity.start_ticks);
}

ProcessIdentity identity_of(const std::string& text) {
  ProcessIdentity identity;
  const size_t at = text.find('@');
  if (at == std::string::npos) return identity;
  identity.pid = std::strtoll(text.c_str(), nullptr, 10);
  identity.start_ticks = std::strtoull(text.c_str() + at + 1, nullptr, 10);
  return identity;
}

}  // namespace

// "GUARDIAN+AGENT"
std::string LocalBackend::token_of(const Node& placement) {
  return text_of(placement.guardian) + "+" + text_of(placement.agent);
}

LocalBackend::LocalBackend(LocalBackendPorts ports, LocalAgentCommand command)
    : ports_(ports),
      command_(std::move(command)),
      room_(ports.loop, ports.machine, ports.leases),
      waiting_({ports.loop, ports.host, ports.machine}, command_.longest_wait) {}

Backend LocalBackend::parts() {
  return {.capabilities = {.shares_filesystem = true, .fixed_hosts = true, .keeps_agents = keeps_agents()},
          .placement = *this,
          .planning = *this,
          .claims = this,
          .machine = this,
          .agents = this,
          .idle = this};
}

LocalBackend::~LocalBackend() {
  *alive_ = false;
  for (const auto& [node, placement] : nodes_) {
    ports_.loop.cancel(placement.kill_timer);
    if (placement.released) help_leaving(ports_.host, ports_.machine, placement.watched, placement.agent);
  }
}

Status LocalBackend::claim(const JobOnNodes& claimed) {
  if (claimed.warm) warm_.insert(claimed.job);
  return room_.claim(claimed);
}

void LocalBackend::unclaim(const JobId& job) {
  room_.unclaim(job);
  warm_.erase(job);
}

void LocalBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  if (place_waiting(node, done)) return;
  SpawnRequest request;
  request.argv = command_.argv;
  request.environment = command_.environment;
  request.workdir = "/";
  request.stdout_path = request.stderr_path = "/dev/null";
  request.own_session = true;
  request.dies_with_us = command_.dies_with_us;
  const auto spawn = [&](ExitHandler on_exit) { return ports_.host.spawn(request, std::move(on_exit)); };
  const Status spawned = watch(node, spawn, [this](const NodeRef& its, const ExitStatus& exit) {
    nodes_[its].in_order = exit.kind == ExitStatus::Kind::exited;
    guardian_ended(its, "its agent " + describe_exit(exit));
  });
  if (!spawned.ok()) return ports_.loop.post([done, spawned] { done(spawned); });
  Node& placement = nodes_[node];
  placement.guardian = ports_.host.identity(placement.watched);
  placement.done = std::move(done);
}

void LocalBackend::agent_arrived(ArrivedAgent agent) {
  if (agent.hello.returned) return agent_returned(std::move(agent));
  for (auto& [node, placement] : nodes_) {
    if (placement.guardian != agent.hello.guardian || !placement.done) continue;
    placement.agent = agent.hello.process;
    PlacedAgent placed{std::move(agent), token_of(placement)};
    return std::exchange(placement.done, nullptr)(std::move(placed));
  }
  dismiss_agent(ports_.loop, std::move(agent.channel));
}

// Accepts only agents of this backend that were released from their job.
void LocalBackend::agent_returned(ArrivedAgent agent) {
  const auto left = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& each) {
    return each.second.guardian == agent.hello.guardian && each.second.released;
  });
  if (left == nodes_.end() || !keeps_agents()) return dismiss_agent(ports_.loop, std::move(agent.channel));
  const bool unwanted = left->second.unwanted;
  const ProcessHandle guardian = left->second.watched;
  ports_.loop.cancel(left->second.kill_timer);
  nodes_.erase(left);
  if (unwanted) return dismiss_agent(ports_.loop, std::move(agent.channel));
  waiting_.add(std::move(agent), guardian);
}

bool LocalBackend::place_waiting(const NodeRef& node, const std::function<void(Result<PlacedAgent>)>& done) {
  while (std::optional<WaitingAgent> taken = waiting_.take(warm_.count(node.job) > 0)) {
    ArrivedAgent agent = std::move(taken->agent);
    const bool guarded = ports_.host.identity(taken->guardian) == agent.hello.guardian;
    if (!guarded || !ports_.machine.runs(agent.hello.process)) continue;  // it has ended
    Node& placement = nodes_[node];
    placement.watched = taken->guardian;
    placement.guardian = agent.hello.guardian;
    placement.agent = agent.hello.process;
    const auto placed = std::make_shared<PlacedAgent>(PlacedAgent{std::move(agent), token_of(placement)});
    ports_.loop.post([done, placed] { done(std::move(*placed)); });
    return true;
  }
  return false;
}

void LocalBackend::adopt(const NodeRef& node, const std::string& token) {
  const ProcessIdentity guardian = identity_of(token);
  const size_t plus = token.find('+');
  const ProcessIdentity agent = plus == std::string::npos ? ProcessIdentity() : identity_of(token.substr(plus + 1));
  nodes_[node].guardian = guardian;
  nodes_[node].agent = agent;
  if (watch(node, guardian, [this](const NodeRef& its) { guardian_ended(its, "its agent ended"); })) return;
  if (watch(node, agent, [this](const NodeRef& its) { node_ended(its, "its guardian ended"); })) return;
  node_ended(node, "its agent ended while no controller ran");
}

// `start` returns the process to watch for the node. `ended` gets the node for which the process is watched when it ends: an agent may
// serve another job by then. A watch is reused for the next job, because each watch uses a descriptor until the process ends.
Status LocalBackend::watch(const NodeRef& node, const Start& start, Ended ended) {
  const auto handle = std::make_shared<ProcessHandle>(0);
  const Result<ProcessHandle> process = start([this, handle, ended = std::move(ended)](const ExitStatus& exit) {
    const auto found =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& each) { return each.second.watched == *handle; });
    if (found != nodes_.end()) ended(NodeRef(found->first), exit);
  });
  if (!process.ok()) return process.status();
  *handle = *process;
  nodes_[node].watched = *process;
  return Status();
}

bool LocalBackend::watch(const NodeRef& node, const ProcessIdentity& process,
                         std::function<void(const NodeRef&)> ended) {
  const auto adopt = [&](ExitHandler on_exit) { return ports_.host.adopt(process, std::move(on_exit)); };
  return watch(node, adopt, [ended = std::move(ended)](const NodeRef& its, const ExitStatus&) { ended(its); }).ok();
}

// A guardian that exits by itself exits last. If it was killed, its agent now stops the ranks.
void LocalBackend::guardian_ended(const NodeRef& node, const std::string& how) {
  const auto ended = [this, how](const NodeRef& its) { node_ended(its, how); };
  if (!watch(node, nodes_[node].agent, ended)) node_ended(node, how);
}

// A guardian exits last and leaves no process. If it was killed, processes that ranks started may still run and are no longer children
// of a known process, so they are found by their environment variables.
void LocalBackend::node_ended(const NodeRef& node, const std::string& how) {
  Node& placement = nodes_[node];
  if (placement.in_order || placement.done) return node_gone(node, how);
  placement.watched = 0;
  const std::vector<std::string> marks = {"MUSTER_JOB_ID=" + node.job.text(),
                                          "MUSTER_NODE=" + std::to_string(node.node)};
  ports_.host.end_marked(marks, [this, alive = alive_, node, how] {
    if (!*alive) return;
    command_.clear_after_crash();
    const auto found = nodes_.find(node);
    const bool placed_again = found != nodes_.end() && found->second.watched != 0;
    if (!placed_again) node_gone(node, how);
  });
}

// No process of the node is alive any more.
void LocalBackend::node_gone(const NodeRef& node, const std::string& how) {
  auto entry = nodes_.extract(node);
  if (entry.empty()) return;
  Node& placement = entry.mapped();
  ports_.loop.cancel(placement.kill_timer);
  if (placement.done) {
    placement.done(Status(Code::unavailable, how + " before it reported"));
  } else if (!placement.released && lost_) {
    lost_(node, how);
  }
}

std::optional<int64_t> LocalBackend::stopped_agent(const NodeRef& node) const {
  const auto found = nodes_.find(node);
  const bool stopped = found != nodes_.end() && ports_.machine.is_stopped(found->second.agent);
  return stopped ? std::optional(found->second.agent.pid) : std::nullopt;
}

void LocalBackend::resume(const NodeRef& node) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end()) resume_agent(ports_.host, found->second.watched);
}

void LocalBackend::end(const NodeRef& node) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end()) kill_agent(ports_.host, found->second.watched, found->second.agent);
}

void LocalBackend::release(const NodeRef& node) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  Node& placement = found->second;
  placement.released = true;
  // An agent that has not reported cannot be dismissed by a message.
  if (std::exchange(placement.done, nullptr)) ports_.host.signal(placement.watched, SIGTERM, SignalReach::group);
  placement.kill_timer = ports_.loop.at(ports_.loop.now() + kLeaveGrace, [this, node] {
    const auto late = nodes_.find(node);
    if (late != nodes_.end()) ports_.host.signal(late->second.watched, SIGKILL, SignalReach::group);
  });
}

// Includes agents that are about to come back.
uint32_t LocalBackend::end_idle_agents() {
  for (auto& [ref, node] : nodes_) node.unwanted = node.released;
  return waiting_.end_idle_agents();
}

}  // namespace muster
