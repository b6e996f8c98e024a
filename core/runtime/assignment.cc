#include "core/runtime/assignment.h"

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

Environment rank_environment(const Submission& submission, const JobSecrets& secrets, const PlannedRank& rank,
                             const AttemptPlace& place) {
  const JobSpec& spec = submission.spec;
  Environment environment;
  for (const auto& [name, value] : framework_defaults(spec, rank)) {
    if (secrets.environment.count(name) == 0) environment[name] = value;
  }
  lay_over(environment, framework_environment(spec, submission.plan, rank, place));
  lay_over(environment, spec.env, secrets);
  lay_over(environment, spec.groups[rank.group].env, secrets);
  return environment;
}

}  // namespace

std::string rank_file(const JobSpec& spec, const PlannedRank& rank) {
  return spec.groups[rank.group].name + "-" + std::to_string(rank.rank);
}

Bind bind_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node, const BindTerms& terms) {
  Bind bind;
  bind.job = submission.id;
  bind.job_name = submission.name;
  bind.node = node;
  bind.environment = secrets.environment;
  bind.settings = secrets.settings;
  bind.workdir = submission.spec.workdir;
  bind.linger = terms.linger;
  bind.lease = terms.lease;
  bind.lease_grace = submission.spec.restarts.grace;
  bind.log_max_bytes = submission.spec.logs.max_bytes;
  return bind;
}

std::vector<Seat> seats_of(const Submission& submission) {
  std::vector<Seat> seats;
  for (const PlannedRank& rank : submission.plan.ranks) {
    const uint32_t world = submission.spec.world == World::shared ? 0 : rank.group;
    const std::string& host = submission.plan.nodes[rank.node].host;
    seats.push_back({world, rank.world_rank, rank_name(submission.spec, rank) + " on " + host});
  }
  return seats;
}

std::vector<RankTask> tasks_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node,
                               const AttemptPlace& place, const OutputPath& path) {
  const JobSpec& spec = submission.spec;
  std::vector<RankTask> tasks;
  for (const uint32_t index : submission.plan.nodes[node].ranks) {
    const PlannedRank& rank = submission.plan.ranks[index];
    RankTask task;
    task.index = index;
    task.argv = spec.groups[rank.group].command;
    task.environment = rank_environment(submission, secrets, rank, place);
    task.environment["MUSTER_INDEX"] = std::to_string(index);
    task.cpus = rank.cpus;
    for (const Gpu& gpu : rank.gpus) task.gpus.push_back(gpu.uuid);
    task.memory_limit_bytes = spec.groups[rank.group].worker.memory_bytes;
    task.stdout_path = path(rank, OutputStream::out);
    task.stderr_path = path(rank, OutputStream::err);
    task.tty = spec.tty_rank == index;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace muster
