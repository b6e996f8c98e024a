// SPDX-License-Identifier: Apache-2.0
// Builds the task of a node's MPI services, and the nodes that a launcher inside the job uses: the part of assignment.h about MPI.
#include <charconv>
#include <set>

#include "core/attempt/assignment.h"
#include "core/base/text.h"
#include "core/job/mpi_library.h"
#include "core/job/mpirun/launcher_variables.h"

namespace muster {
namespace {

// Several nodes may be on one host, but PMIx tells nodes apart by their names.
template <typename Node>
void make_names_unique(std::vector<Node>& nodes) {
  std::map<std::string, uint32_t> seen;
  for (const Node& node : nodes) ++seen[node.name];
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (seen[nodes[i].name] > 1) nodes[i].name += "-node-" + std::to_string(i);
  }
}

// Variables of the launchers of Open MPI 4 and 5, MPICH and Intel MPI, which read different forms of a host file.
constexpr const char* kOpenMpiFiles[] = {"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"};
constexpr const char* kHydraFiles[] = {"HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"};

// Literal values only: secrets are not known here.
std::map<std::string, std::string> launcher_variables(const JobSpec& spec, uint32_t group) {
  std::map<std::string, std::string> variables;
  for (const auto* env : {&spec.env, &spec.groups[group].env}) {
    for (const char* name : {kMpirunGroups, kMpirunSlots}) {
      if (const auto found = env->find(name); found != env->end()) variables[name] = found->second.literal;
    }
  }
  return variables;
}

uint32_t number_in(std::string_view text) {
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string literal_of(const GroupSpec& group, const char* name) {
  const auto found = group.env.find(name);
  return found == group.env.end() ? "" : found->second.literal;
}

// A group is a program. But a shell can start several programs in one group, and one program can be in several groups.
uint32_t app_of(const JobSpec& spec, const PlannedRank& rank) {
  const GroupSpec& group = spec.groups[rank.group];
  const std::vector<std::string> programs = split(literal_of(group, kMpiPrograms), ':');
  for (size_t app = 0; programs.size() > 1 && app < programs.size(); ++app) {
    if (rank.world_rank < number_in(programs[app])) return static_cast<uint32_t>(app);
  }
  if (spec.world != World::shared) return 0;
  const std::string app = literal_of(group, kMpiApp);
  return app.empty() ? rank.group : number_in(app);
}

void drop_equal_apps(MpiTask& task) {
  std::set<uint32_t> apps;
  for (const MpiNode& node : task.nodes) apps.insert(node.apps.begin(), node.apps.end());
  if (apps != std::set<uint32_t>{0}) return;
  for (MpiNode& node : task.nodes) node.apps.clear();
}

}  // namespace

std::optional<MpiTask> mpi_of(const Submission& submission, NodeIndex node, Attempt attempt) {
  const Plan& plan = submission.plan;
  if (submission.spec.framework != Framework::mpi || plan.nodes[node].ranks.empty()) return std::nullopt;
  MpiTask task;
  const bool shared = submission.spec.world == World::shared;
  task.name_space = "muster-" + submission.id.text() + "-" + std::to_string(attempt);
  if (!shared) task.name_space += "-" + std::to_string(plan.nodes[node].group);
  for (const PlannedNode& each : plan.nodes) {
    if (each.ranks.empty() || (!shared && each.group != plan.nodes[node].group)) continue;
    if (each.node == node) task.node = static_cast<uint32_t>(task.nodes.size());
    MpiNode& place = task.nodes.emplace_back(MpiNode{each.host, {}});
    for (const uint32_t index : each.ranks) {
      place.ranks.push_back(plan.ranks[index].world_rank);
      place.apps.push_back(app_of(submission.spec, plan.ranks[index]));
    }
  }
  task.indices = plan.nodes[node].ranks;
  drop_equal_apps(task);
  make_names_unique(task.nodes);
  return task;
}

std::vector<JobNode> nodes_of(const Submission& submission, const std::function<void(NodeIndex, JobNode&)>& place) {
  std::vector<JobNode> nodes;
  for (const PlannedNode& each : submission.plan.nodes) {
    if (each.ranks.empty()) continue;
    JobNode node{each.host, "", "", static_cast<uint32_t>(each.ranks.size()), each.ranks.front(), "", 0};
    node.group = submission.spec.groups[each.group].name;
    nodes.push_back(std::move(node));
    place(each.node, nodes.back());
  }
  make_names_unique(nodes);
  return nodes;
}

std::map<std::string, std::string> launcher_files(const Submission& submission, NodeIndex node) {
  const auto variables = launcher_variables(submission.spec, submission.plan.nodes[node].group);
  if (variables.empty()) return {};
  const std::vector<JobNode> all = nodes_of(submission, [](NodeIndex, JobNode&) {});
  const auto nodes = launcher_nodes(all, variables);
  if (!nodes.ok()) return {};  // mpirun reports it
  std::map<std::string, std::string> files;
  const bool alone = all.size() == 1;  // mpirun then starts its ranks here, and the host may be an alias of ssh
  for (const JobNode& node : *nodes) {
    const std::string name = alone ? "localhost" : node.name;
    const std::string slots = std::to_string(node.ranks);
    for (const char* variable : kOpenMpiFiles) files[variable] += name + " slots=" + slots + "\n";
    for (const char* variable : kHydraFiles) files[variable] += name + ":" + slots + "\n";
  }
  return files;
}

}  // namespace muster
