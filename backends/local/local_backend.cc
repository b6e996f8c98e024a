#include "backends/local/local_backend.h"

#include <algorithm>
#include <csignal>

#include "core/base/text.h"
#include "core/job/plan/numa_binding.h"
#include "core/job/plan/visible_gpus.h"
#include "core/port/send_away.h"

namespace muster {
namespace {

// A dismissed agent has nothing left to do but to leave.
constexpr Duration kLeaveGrace = std::chrono::seconds(10);
// Looking at the machine takes milliseconds, with GPUs seconds; it changes by hand only.
constexpr Duration kInventoryLife = std::chrono::seconds(30);

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

// A job that would fit if the shell it comes from let it have all GPUs.
Status hidden(const Status& shortage, const std::string& value, const Inventory& visible, const Inventory& machine) {
  return Status(shortage.code(), shortage.message() + "; CUDA_VISIBLE_DEVICES=\"" + escaped(value) + "\" leaves it " +
                                     std::to_string(visible.gpus.size()) + " of " +
                                     count_of(machine.gpus.size(), "GPU"));
}

// `auto` and MIN..MAX mean the whole machine, not what happens to be free: fixed by the plan on the whole machine.
// What ranks are bound to beside others is of the whole machine too.
JobSpec fixed_counts(JobSpec spec, const Plan& whole) {
  spec.torch.numa_binding = NumaBinding::none;
  for (const PlannedRank& rank : whole.ranks) {
    GroupSpec& group = spec.groups[rank.group];
    group.min_nodes = group.max_nodes = rank.group_nodes;
    group.workers = {false, rank.local_size};
    group.worker.gpus = {false, static_cast<uint32_t>(rank.gpus.size())};
  }
  return spec;
}

}  // namespace

// "GUARDIAN+AGENT"
std::string LocalBackend::token_of(const Node& placement) {
  return text_of(placement.guardian) + "+" + text_of(placement.agent);
}

LocalBackend::LocalBackend(LocalBackendPorts ports, LocalAgentCommand command)
    : ports_(ports),
      command_(std::move(command)) {}

LocalBackend::~LocalBackend() {
  *alive_ = false;
  ports_.loop.cancel(memory_timer_);
  for (const auto& [node, placement] : placements_) ports_.loop.cancel(placement.kill_timer);
}

const Inventory& LocalBackend::inventory() {
  const TimePoint now = ports_.loop.now();
  if (!inventory_ || now - looked_at_ > kInventoryLife) {
    inventory_ = ports_.machine.inventory();
    looked_at_ = now;
  }
  return *inventory_;
}

Result<Plan> LocalBackend::plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) {
  Inventory machine = inventory();
  machine.gpus = visible_gpus(machine.gpus, origin.cuda_visible_devices);
  Result<Plan> whole = plan_on_one_machine(spec, machine);
  if (!whole.ok() && plan_on_one_machine(spec, inventory()).ok()) {
    return hidden(whole.status(), origin.cuda_visible_devices.value_or(""), machine, inventory());
  }
  if (!whole.ok() || held.empty()) return whole;
  const Inventory free = without(machine, held);
  Result<Plan> now = plan_on_one_machine(fixed_counts(spec, *whole), free);
  if (!now.ok()) return Status(Code::unavailable, shortage(needs_of(*whole), machine, free, held));
  const Status bound = bind_beside_gpus(spec.torch.numa_binding, machine, *now);
  if (!bound.ok()) return bound;
  return now;
}

void LocalBackend::place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) {
  if (place_waiting(node, done)) return;
  SpawnRequest request;
  request.argv = command_.argv;
  request.environment = command_.environment;
  request.workdir = "/";
  request.own_session = true;
  request.dies_with_us = command_.dies_with_us;
  const auto spawn = [&](ExitHandler on_exit) { return ports_.host.spawn(request, std::move(on_exit)); };
  const Status spawned = watch(node, spawn, [this](const NodeRef& its, const ExitStatus& exit) {
    placements_[its].in_order = exit.kind == ExitStatus::Kind::exited;
    guardian_ended(its, "its agent " + describe_exit(exit));
  });
  if (!spawned.ok()) return ports_.loop.post([done, spawned] { done(spawned); });
  Node& placement = placements_[node];
  placement.guardian = ports_.host.identity(placement.watched);
  placement.done = std::move(done);
}

void LocalBackend::agent_arrived(ArrivedAgent agent) {
  if (agent.hello.returned) return wait_for_a_job(std::move(agent));
  for (auto& [node, placement] : placements_) {
    if (placement.guardian != agent.hello.guardian || !placement.done) continue;
    placement.agent = agent.hello.process;
    PlacedAgent placed{std::move(agent), token_of(placement)};
    return std::exchange(placement.done, nullptr)(std::move(placed));
  }
  send_away(ports_.loop, std::move(agent.channel));
}

void LocalBackend::adopt(const NodeRef& node, const std::string& token) {
  const ProcessIdentity guardian = identity_of(token);
  const size_t plus = token.find('+');
  const ProcessIdentity agent = plus == std::string::npos ? ProcessIdentity() : identity_of(token.substr(plus + 1));
  placements_[node].guardian = guardian;
  placements_[node].agent = agent;
  if (watch(node, guardian, [this](const NodeRef& its) { guardian_ended(its, "its agent ended"); })) return;
  if (watch(node, agent, [this](const NodeRef& its) { node_ended(its, "its guardian ended"); })) return;
  node_ended(node, "its agent ended while no controller was there");
}

// `start` gives the process that is watched for the node from now on. `ended` gets the node that the process is watched for when it ends: an
// agent may serve another job by then, and each watch costs a descriptor for as long as the process lives.
Status LocalBackend::watch(const NodeRef& node, const Start& start, Ended ended) {
  const auto handle = std::make_shared<ProcessHandle>(0);
  const Result<ProcessHandle> process = start([this, handle, ended = std::move(ended)](const ExitStatus& exit) {
    const auto found = std::find_if(placements_.begin(), placements_.end(),
                                    [&](const auto& each) { return each.second.watched == *handle; });
    if (found != placements_.end()) ended(NodeRef(found->first), exit);
  });
  if (!process.ok()) return process.status();
  *handle = *process;
  placements_[node].watched = *process;
  return Status();
}

bool LocalBackend::watch(const NodeRef& node, const ProcessIdentity& process,
                         std::function<void(const NodeRef&)> ended) {
  const auto adopt = [&](ExitHandler on_exit) { return ports_.host.adopt(process, std::move(on_exit)); };
  return watch(node, adopt, [ended = std::move(ended)](const NodeRef& its, const ExitStatus&) { ended(its); }).ok();
}

// A guardian that ends by itself ends last. One that was killed leaves an agent that now stops its ranks.
void LocalBackend::guardian_ended(const NodeRef& node, const std::string& how) {
  const auto ended = [this, how](const NodeRef& its) { node_ended(its, how); };
  if (!watch(node, placements_[node].agent, ended)) node_ended(node, how);
}

// A guardian ends last and leaves nothing, unless it was killed: then whatever ranks had started may live on, as
// nobody's child that we know.
void LocalBackend::node_ended(const NodeRef& node, const std::string& how) {
  Node& placement = placements_[node];
  if (placement.in_order || placement.done) return node_gone(node, how);
  placement.watched = 0;
  const std::vector<std::string> marks = {"MUSTER_JOB_ID=" + node.job.text(),
                                          "MUSTER_NODE=" + std::to_string(node.node)};
  ports_.host.end_marked(marks, [this, alive = alive_, node, how] {
    if (!*alive) return;
    command_.clear_after_crash();
    const auto found = placements_.find(node);
    const bool placed_again = found != placements_.end() && found->second.watched != 0;
    if (!placed_again) node_gone(node, how);
  });
}

// Nothing of the node is alive any more.
void LocalBackend::node_gone(const NodeRef& node, const std::string& how) {
  auto entry = placements_.extract(node);
  if (entry.empty()) return;
  Node& placement = entry.mapped();
  ports_.loop.cancel(placement.kill_timer);
  if (placement.done) {
    placement.done(Status(Code::unavailable, how + " before it said hello"));
  } else if (!placement.released && lost_) {
    lost_(node, how);
  }
}

// The guardian sweeps once its agent is dead; it may have been stopped together with it.
void LocalBackend::end(const NodeRef& node) {
  const auto found = placements_.find(node);
  if (found == placements_.end()) return;
  ports_.host.signal(found->second.watched, SIGCONT);
  const Result<ProcessHandle> agent = ports_.host.adopt(found->second.agent, [](const ExitStatus&) {});
  if (agent.ok()) ports_.host.signal(*agent, SIGKILL);
}

void LocalBackend::release(const NodeRef& node) {
  const auto found = placements_.find(node);
  if (found == placements_.end()) return;
  Node& placement = found->second;
  placement.released = true;
  // An agent that never said hello has nobody to dismiss it.
  if (std::exchange(placement.done, nullptr)) ports_.host.signal(placement.watched, SIGTERM);
  placement.kill_timer = ports_.loop.at(ports_.loop.now() + kLeaveGrace, [this, node] {
    const auto late = placements_.find(node);
    if (late != placements_.end()) ports_.host.signal(late->second.watched, SIGKILL);
  });
}

}  // namespace muster
