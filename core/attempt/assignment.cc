// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/assignment.h"

#include <algorithm>
#include <set>

#include "core/job/code_order.h"
#include "core/job/plan/visible_gpus.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

using Environment = std::map<std::string, std::string>;

void lay_over(Environment& environment, const std::map<std::string, EnvValue>& values, const JobSecrets& secrets) {
  for (const auto& [name, value] : values) {
    if (!value.secret) {
      environment[name] = value.literal;
    } else if (const auto found = secrets.secrets.find(name); found != secrets.secrets.end()) {
      environment[name] = found->second;
    }
  }
}

void lay_over(Environment& environment, const Environment& values) {
  for (const auto& [name, value] : values) environment[name] = value;
}

// The variables of the job file for this rank.
Environment job_environment(const RankPlace& view, const JobSecrets& secrets) {
  Environment environment;
  lay_over(environment, view.spec.env, secrets);
  lay_over(environment, view.spec.groups[view.rank.group].env, secrets);
  if (const HostSpec* host = host_of(view.spec, view.plan, view.rank)) lay_over(environment, host_variables(*host));
  return environment;
}

// Whether ranks of an mpirun inside the rank would keep this variable of it: they do not get one of their own, and a template without
// placeholders says the same for all ranks.
bool is_kept_inside(const RankPlace& view, const std::string& name, const std::string& value) {
  static const std::set<std::string> renewed = [] {
    std::set<std::string> names;
    for (const auto& table : framework_info(Framework::mpi).variables) {
      for (const FrameworkVariable& each : table) {
        if (!each.fills_gap) names.emplace(each.name);
      }
    }
    return names;
  }();
  const auto custom = view.spec.custom.find(name);
  return renewed.count(name) == 0 && (custom == view.spec.custom.end() || custom->second != value);
}

// RankTask::environment, ::gaps and ::rank_only.
void set_environment(const RankPlace& view, const JobSecrets& secrets, RankTask& task) {
  const RankVariables variables = framework_variables(view);
  task.environment = job_environment(view, secrets);
  const auto add = [&](const std::string& name, const std::string& value) {
    const bool added = task.environment.emplace(name, value).second;
    if (added && is_kept_inside(view, name, value)) task.rank_only.push_back(name);
    return added;
  };
  for (const auto& [name, value] : variables.over) add(name, value);
  for (const auto& [name, value] : variables.gaps) {
    if (secrets.environment.count(name) == 0 && add(name, value)) task.gaps.push_back(name);
  }
}

// The group whose store the node's ranks use: in a shared world the first group.
uint32_t meeting_group(const Submission& submission, NodeIndex node) {
  return submission.spec.world == World::shared ? 0 : submission.plan.nodes[node].group;
}

// Number of ranks that use the same store as those of the node.
uint32_t clients_of(const Submission& submission, NodeIndex node) {
  const auto& ranks = submission.plan.ranks;
  return static_cast<uint32_t>(std::count_if(ranks.begin(), ranks.end(), [&](const PlannedRank& rank) {
    return meeting_group(submission, rank.node) == meeting_group(submission, node);
  }));
}

// The first node of the world that `node` belongs to.
NodeIndex store_node(const Submission& submission, NodeIndex node) {
  const uint32_t group = meeting_group(submission, node);
  const auto& nodes = submission.plan.nodes;
  const auto first = std::find_if(nodes.begin(), nodes.end(), [&](const PlannedNode& n) { return n.group == group; });
  return first == nodes.end() ? node : first->node;
}

std::vector<std::string> peers_of(const Submission& submission, NodeIndex node, const AttemptPlace& place) {
  std::set<std::string> peers;
  for (const PlannedNode& other : submission.plan.nodes) {
    if (!other.ranks.empty() && meeting_group(submission, other.node) == meeting_group(submission, node))
      peers.insert(place.addresses.at(other.node));
  }
  return {peers.begin(), peers.end()};
}

// The secrets of the ranks: a warm parent must not have them, because it may stay for another job.
std::set<std::string> names_of_secrets(const JobSpec& spec, const JobSecrets& secrets) {
  std::set<std::string> names;
  const auto add = [&](const std::map<std::string, EnvValue>& variables) {
    for (const auto& [name, value] : variables) {
      if (value.secret || looks_secret(name, value.literal)) names.insert(name);
    }
  };
  add(spec.env);
  for (const GroupSpec& group : spec.groups) add(group.env);
  for (const auto& [name, value] : secrets.environment) {
    if (looks_secret(name, value)) names.insert(name);
  }
  return names;
}

Endpoint store_endpoint(const Endpoint& endpoint) { return {endpoint.address, endpoint.port}; }

}  // namespace

bool has_store_front(const Submission& submission, NodeIndex node) {
  const JobSpec& spec = submission.spec;
  return hosts_store(spec) && spec.store == StoreHost::proxy && store_node(submission, node) != node;
}

PortCounts ports_needed(const Submission& submission, NodeIndex node) {
  return node_ports(framework_info(submission.spec.framework), submission.spec, submission.plan, node);
}

std::optional<StoreTask> store_of(const Submission& submission, NodeIndex node, const AttemptPlace& place) {
  if (!hosts_store(submission.spec)) return std::nullopt;
  const Endpoint store = store_endpoint(place.endpoints.at(meeting_group(submission, node)));
  if (store_node(submission, node) == node)
    return StoreTask{store, std::nullopt, peers_of(submission, node, place), clients_of(submission, node)};
  if (!has_store_front(submission, node)) return std::nullopt;
  const Endpoint front = store_endpoint(place.fronts.at(node));
  return StoreTask{front, store, {front.address}, 0};
}

std::optional<ServiceProgram> program_of(const Submission& submission, NodeIndex node, const AttemptPlace& place) {
  const Plan& plan = submission.plan;
  if (plan.nodes[node].ranks.empty()) return std::nullopt;
  auto program = service_program({submission.spec, plan, plan.ranks[plan.nodes[node].ranks.front()], place, ""});
  if (!program || store_node(submission, node) == node) return program;
  if (program->here.port == 0) return std::nullopt;
  return ServiceProgram{program->name, "", {}, program->here, true};
}

std::map<std::string, std::string> files_of(const Submission& submission, NodeIndex node, const AttemptPlace& place) {
  const Plan& plan = submission.plan;
  if (plan.nodes[node].ranks.empty()) return {};
  auto files = framework_files({submission.spec, plan, plan.ranks[plan.nodes[node].ranks.front()], place, ""});
  files.merge(launcher_files(submission, node));
  return files;
}

std::optional<WarmTask> warm_of(const JobSpec& spec, const JobSecrets& secrets) {
  using enum WarmSpec::Mode;
  if (uses_image(spec)) return std::nullopt;  // the Python of the image imports its own modules
  const bool long_imports = framework_info(spec.framework).slow_import;
  if (spec.warm.mode == off || (spec.warm.mode == usual && !long_imports)) return std::nullopt;
  WarmTask task{spec.warm.modules, spec.warm.mode != modules, false, place_variables(spec)};
  task.place.merge(names_of_secrets(spec, secrets));
  task.always = task.automatic && long_imports;
  return task;
}

std::string rank_file(const JobSpec& spec, const PlannedRank& rank) {
  return spec.groups[rank.group].name + "-" + std::to_string(rank.rank);
}

std::string error_file_beside(const std::string& output) {
  if (output.empty()) return "";
  const size_t end = output.ends_with(".out") ? output.size() - 4 : output.size();
  return output.substr(0, end) + ".error.json";
}

JobSecrets carried(const JobSecrets& secrets) {
  JobSecrets some{{}, secrets.secrets, {}, {}};
  for (const auto& [name, value] : secrets.environment) {
    if (is_carried(name)) some.environment[name] = value;
  }
  return some;
}

std::string output_name(const Submission& submission, Attempt attempt, const PlannedRank& rank, OutputStream stream) {
  return submission.id.text() + "/attempt-" + std::to_string(attempt) + "/" + rank_file(submission.spec, rank) +
         ending_of(stream);
}

Bind bind_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node, const BindTerms& terms) {
  Bind bind;
  bind.job = submission.id;
  bind.job_name = submission.name;
  bind.node = node;
  bind.environment = secrets.environment;
  bind.settings = secrets.settings;
  bind.streams = secrets.streams;
  // A relative workdir is below muster's folder on the host (backends/ssh/code/unpack.h).
  const bool travels = !submission.code_hash.empty();
  bind.workdir = travels ? code_folder_of(submission.id.text()) : submission.spec.workdir;
  bind.address = terms.address;
  bind.linger = terms.linger;
  bind.lease = terms.lease;
  bind.own_environment = terms.own_environment;
  bind.sends_output = terms.sends_output;
  bind.setup = setup_of(submission, secrets, node, terms);
  bind.lease_grace = submission.spec.restarts.grace;
  bind.stop_grace = submission.spec.timeouts.stop;
  bind.leftovers = {submission.spec.leftovers, submission.spec.timeouts.leftovers};
  bind.log_max_bytes = submission.spec.logs.max_bytes;
  bind.ports = ports_needed(submission, node);
  if (hosts_store(submission.spec) && store_node(submission, node) == node) bind.store_address = terms.address;
  return bind;
}

std::vector<RendezvousMember> members_of(const Submission& submission) {
  std::vector<RendezvousMember> members;
  for (const PlannedRank& rank : submission.plan.ranks) {
    const uint32_t world = submission.spec.world == World::shared ? 0 : rank.group;
    const std::string& host = submission.plan.nodes[rank.node].host;
    members.push_back({world, rank.world_rank, rank_name(submission.spec, rank) + " on " + host});
  }
  return members;
}

std::vector<RankTask> only_named(const std::vector<RankTask>& tasks) {
  std::vector<RankTask> named(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) named[i].index = tasks[i].index;
  return named;
}

std::vector<RankTask> tasks_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node,
                               const AttemptPlace& place, const OutputPath& path) {
  const JobSpec& spec = submission.spec;
  std::vector<RankTask> tasks;
  for (const uint32_t index : submission.plan.nodes[node].ranks) {
    const PlannedRank& rank = submission.plan.ranks[index];
    RankTask task;
    task.index = index;
    task.stdout_path = path(rank, OutputStream::out);
    RankPlace view{spec, submission.plan, rank, place, error_file_beside(task.stdout_path)};
    view.visible_devices = cuda_visible_devices(secrets.environment);
    task.argv = framework_command(view);
    set_environment(view, secrets, task);
    task.environment["MUSTER_INDEX"] = std::to_string(index);
    task.cpus = bound_cpus(rank);
    task.shares_cpus = rank.cpus.empty();
    for (const Gpu& gpu : rank.gpus) task.gpus.push_back(gpu.uuid);
    task.memory_limit_bytes = spec.groups[rank.group].worker.memory_bytes;
    task.stderr_path = path(rank, OutputStream::err);
    task.tty = spec.tty_rank == index || (secrets.streams.window && submission.plan.ranks.size() == 1);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace muster
