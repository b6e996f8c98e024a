// SPDX-License-Identifier: Apache-2.0
#include "test/sim/story_plan.h"

#include <algorithm>

#include "test/sim/world.h"

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr uint64_t kCalmSeeds = 16;

bool one_in(Random& random, uint64_t odds) { return random.below(odds) == 0; }

void add_second_group(JobSpec& spec, Random& random) {
  GroupSpec group = spec.groups[0];
  group.name = "helper";
  const uint64_t room = spec.groups[0].max_nodes < 3 ? 2 : 1;  // a host has 8 GPUs
  group.min_nodes = group.max_nodes = 1 + static_cast<uint32_t>(random.below(room));
  group.workers = {false, 1 + static_cast<uint32_t>(random.below(2))};
  group.success = static_cast<SuccessRule>(random.below(3));
  spec.groups.push_back(group);
  spec.world = one_in(random, 3) ? muster::World::shared : muster::World::own;
  if (spec.world == muster::World::own && !one_in(random, 3)) spec.restarts.mode = RestartMode::group;
}

void set_restarts(RestartSpec& restarts, Random& random) {
  restarts.limit = static_cast<uint32_t>(random.below(7));
  restarts.first_backoff = seconds(random.below(3));
  restarts.grace = milliseconds(random.below(4) * 1000);
  if (one_in(random, 4)) restarts.always_on.push_back({FailureRule::Kind::signal, 11});
  if (one_in(random, 4)) restarts.never_on.push_back({FailureRule::Kind::exit_code, 2});
}

void set_timeouts(TimeoutSpec& timeouts, Random& random) {
  if (one_in(random, 4)) timeouts.queue = seconds(20 + random.below(60));
  if (one_in(random, 3)) timeouts.start = seconds(10 + random.below(60));
  if (one_in(random, 4)) timeouts.run = seconds(20 + random.below(200));
  if (one_in(random, 2)) timeouts.stop = seconds(random.below(10));
}

JobPlan job_of(Random& random, size_t number) {
  JobPlan job;
  job.at = number == 0 ? Duration(0) : Duration(milliseconds(random.below(60'000)));
  const auto nodes = static_cast<uint32_t>(1 + random.below(3));
  job.spec = job_spec("job-" + std::to_string(number), nodes, 1 + static_cast<uint32_t>(random.below(2)));
  if (one_in(random, 2)) job.spec.framework = Framework::torch;
  if (one_in(random, 5)) add_second_group(job.spec, random);
  set_restarts(job.spec.restarts, random);
  set_timeouts(job.spec.timeouts, random);
  job.ranks.fails = static_cast<uint32_t>(random.below(20));
  job.ranks.cannot_start = one_in(random, 4) ? 3 : 0;
  job.ranks.ignores_term = static_cast<uint32_t>(random.below(40));
  job.ranks.leaves_daemons = static_cast<uint32_t>(random.below(40));
  job.ranks.longest_run = seconds(5 + random.below(120));
  job.ranks.longest_death = milliseconds(random.below(3000));
  job.ranks.meets = one_in(random, 2);
  job.spec.store = static_cast<StoreHost>(random.below(3));
  return job;
}

void calm_down(StoryPlan& plan) {
  plan.calm = true;
  plan.faults.clear();
  for (JobPlan& job : plan.jobs) {
    job.ranks.fails = job.ranks.cannot_start = 0;
    job.spec.timeouts = TimeoutSpec{};
  }
}

}  // namespace

StoryPlan plan_of(uint64_t seed) {
  Random random(Random(seed).next());  // neighbouring SplitMix seeds would draw similar numbers
  StoryPlan plan;
  plan.seed = seed;
  plan.hosts = 1 + static_cast<uint32_t>(random.below(4));
  plan.fixed_hosts = one_in(random, 3);
  plan.longest_delay = milliseconds(1 + random.below(100));
  plan.patience = one_in(random, 3) ? Duration(0) : Duration(seconds(2 + random.below(20)));
  const size_t jobs = 1 + random.below(3);
  for (size_t i = 0; i < jobs; ++i) plan.jobs.push_back(job_of(random, i));
  plan.faults = faults_of(random, kFaultWindow, plan.fixed_hosts);
  plan.shares_files = one_in(random, 2);
  if (seed % kCalmSeeds == 2) calm_down(plan);
  Random apart(Random(~seed).next());  // so that the other choices stay those of the seed
  for (JobPlan& job : plan.jobs) {
    if (job.spec.framework == Framework::plain && one_in(apart, 2)) job.spec.framework = Framework::mpi;
  }
  return plan;
}

std::string to_text(const StoryPlan& plan) {
  std::string text = std::to_string(plan.hosts) + (plan.fixed_hosts ? " fixed hosts" : " replaceable hosts") +
                     (plan.shares_files ? "" : " with files of their own") + ", delays up to " +
                     format_duration(plan.longest_delay) + "\n";
  for (const JobPlan& job : plan.jobs) {
    text += job.spec.name + ": at " + format_duration(job.at) + ", " + std::to_string(job.spec.groups[0].max_nodes) +
            " × " + std::to_string(job.spec.groups[0].workers.count) + " ranks" +
            (job.spec.groups.size() > 1 ? " and a second group" : "") +
            (job.spec.framework == Framework::mpi ? " that meet as MPI's do" : "") +
            (job.spec.restarts.mode == RestartMode::group ? " that restarts by itself" : "") + ", " +
            std::to_string(job.spec.restarts.limit) + " restarts\n";
  }
  for (size_t i = 0; i < plan.faults.size(); ++i)
    text += "fault " + std::to_string(i) + " " + to_text(plan.faults[i]) + "\n";
  return text;
}

}  // namespace muster::sim
