// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_view.h"

#include <algorithm>

#include "backends/kubernetes/cluster/cluster_events.h"
#include "backends/kubernetes/cluster/ended_words.h"
#include "core/base/text.h"
#include "core/job/file/job_yaml.h"
#include "core/job/plan/plan.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

bool is_ours(const std::string& part) { return part == pod::kCoordinatorJob || part == pod::kVerdictJob; }

// The sum over the ranks' pods.
PodCount sum_of(const JobSetFacts& job) {
  PodCount sum;
  for (const PodCount& each : job.parts) {
    if (is_ours(each.part)) continue;
    sum.ready += each.ready;
    sum.active += each.active;
    sum.succeeded += each.succeeded;
    sum.failed += each.failed;
  }
  return sum;
}

uint32_t nodes_of(const JobSpec& spec) {
  uint32_t nodes = 0;
  for (const GroupSpec& group : spec.groups) nodes += group.max_nodes;
  return nodes;
}

bool are_all_ready(const PodCount& sum) { return sum.active > 0 && sum.ready == sum.active; }

// Pods of ranks may run without ever being ready (docs/design/decisions/0022-lost-pods.md), so this looks for pods that are pending.
bool all_pods_run(const PodCount& sum, const std::vector<PodFacts>& pods) {
  if (sum.active == 0 || are_all_ready(sum)) return sum.active > 0;
  return std::none_of(pods.begin(), pods.end(), [](const PodFacts& each) {
    return !is_ours(each.part) && !each.leaving && each.phase == "Pending";
  });
}

bool some_pods_run(const PodCount& sum, const std::vector<PodFacts>& pods) {
  return sum.ready > 0 || std::any_of(pods.begin(), pods.end(),
                                      [](const PodFacts& each) { return !is_ours(each.part) && each.running; });
}

std::string pods_waited_for(const JobSetFacts& job, const std::vector<PodFacts>& pods) {
  if (std::string waits = awaited(pods); !waits.empty()) return waits;
  const PodCount sum = sum_of(job);
  if (pods.empty() && sum.active == 0) return "its pods to be created";
  return "its pods to run";
}

bool reports_failure(const std::string& termination_message) {
  return termination_message.starts_with("failed") || termination_message.starts_with("the job cannot run");
}

// The coordinator's termination message begins with "failed: " or "cancelled: ".
std::string state_of_end(const JobSetFacts& job, const std::string& termination_message) {
  if (termination_message.starts_with("cancelled")) return "cancelled";
  if (job.end == JobSetFacts::End::failed || reports_failure(termination_message)) return "failed";
  return "succeeded";
}

// True if the termination message reports the job's end. If the pod was ended before its job, the message is just the end of its log.
bool reported_end(const PodFacts& coordinator) {
  const std::string& words = coordinator.termination_message;
  return coordinator.over && !words.empty() &&
         (coordinator.well || words.starts_with("cancelled") || reports_failure(words));
}

void set_end_state(JobView& view, const JobSetFacts& job, const std::string& termination_message) {
  view.done = true;
  view.state = state_of_end(job, termination_message);
  view.sentence = termination_message.empty() ? job.why : termination_message.substr(0, termination_message.find('\n'));
  view.ended = job.ended;
  view.exit_code = view.state == "succeeded" ? 0 : view.state == "cancelled" ? kCancelledCode : 1;
  view.propagated_code = view.exit_code;
  pod::take_counts(termination_message, view);
}

void set_live_state(JobView& view, const JobSetFacts& job, const std::vector<PodFacts>& pods) {
  const auto coordinator = std::find_if(job.parts.begin(), job.parts.end(),
                                        [](const PodCount& each) { return each.part == pod::kCoordinatorJob; });
  const bool coordinated = coordinator != job.parts.end() && coordinator->ready + coordinator->active > 0;
  const PodCount sum = sum_of(job);
  if (job.leaving) {
    view.state = "stopping";
    view.sentence = "its JobSet is being deleted";
  } else if (job.suspended) {
    view.state = "queued";
    const std::string queue = job.queue.empty() ? "its queue" : "the queue `" + job.queue + "`";
    view.waits_for = queue + " to admit it" + (job.why.empty() ? "" : ": " + job.why);
  } else if (coordinated && all_pods_run(sum, pods)) {
    view.state = "running";
  } else {
    view.state = some_pods_run(sum, pods) ? "placing" : "queued";
    view.waits_for = pods_waited_for(job, pods);
  }
}

void add_ranks(JobView& view, const JobSpec& spec) {
  constexpr uint32_t kMost = 100'000;
  Rank world_rank = 0;
  NodeIndex node = 0;
  for (uint32_t g = 0; g < spec.groups.size(); ++g) {
    const GroupSpec& group = spec.groups[g];
    for (Rank rank = 0; rank < group.max_nodes * group.workers.count && view.ranks.size() < kMost; ++rank) {
      PlannedRank planned;
      planned.group = g;
      planned.rank = rank;
      planned.world_rank = spec.world == World::shared ? world_rank : rank;
      RankView each;
      each.index = world_rank++;
      each.group = group.name;
      each.rank = planned.rank;
      each.name = rank_name(spec, planned);
      each.node = node + rank / group.workers.count;
      each.phase = view.done ? RankPhase::exited : view.state == "running" ? RankPhase::running : RankPhase::waiting;
      view.ranks.push_back(std::move(each));
    }
    node += group.max_nodes;
  }
}

bool is_being_created(const PodFacts& pod) { return pod.events == PodFacts::Events::of_pod; }

}  // namespace

std::string awaited(const std::vector<PodFacts>& pods) {
  const PodFacts* named = nullptr;
  size_t waiting = 0;
  for (const PodFacts& each : pods) {
    if (each.waits.empty() || each.leaving || each.part == pod::kVerdictJob) continue;
    ++waiting;
    const bool better = named == nullptr || (is_being_created(*named) && !is_being_created(each));
    if (better) named = &each;
  }
  if (named == nullptr) return "";
  std::string waits = named->waits + " (pod " + named->name + ")";
  if (waiting > 1) waits += ", and " + count_of(waiting - 1, "more pod");
  return waits;
}

bool lacks_pods(const JobView& job, const std::vector<PodFacts>& pods) {
  const auto there = std::count_if(pods.begin(), pods.end(), [](const PodFacts& each) {
    return each.part != pod::kVerdictJob && !each.leaving && each.phase != "Failed";
  });
  return there < job.nodes + 1;  // plus the coordinator's pod
}

void tell_wait(JobView& job, std::vector<PodFacts> pods, std::string_view events) {
  if (!waits_for_pods(job)) return;
  add_events(pods, events);
  if (std::string waits = awaited(pods); !waits.empty()) {
    job.waits_for = waits;
  } else if (const std::string refusal = read_refusal(events, job.name); !refusal.empty()) {
    job.waits_for = "its pods to be created: " + refusal;
  }
}

bool pods_may_wait(const JobSetFacts& job) {
  return job.end == JobSetFacts::End::none && !job.suspended && !are_all_ready(sum_of(job));
}

bool waits_for_pods(const JobView& told) {
  return !told.done && (told.state == "placing" || told.state == "queued") && told.held_by.empty();
}

const PodFacts* coordinator_of(const std::vector<PodFacts>& pods) {
  const PodFacts* newest = nullptr;
  for (const PodFacts& each : pods) {
    if (each.part != pod::kCoordinatorJob) continue;
    const bool better = newest == nullptr || (newest->leaving && !each.leaving) ||
                        (newest->leaving == each.leaving && each.created > newest->created);
    if (better) newest = &each;
  }
  return newest;
}

bool can_be_asked(const std::vector<PodFacts>& pods) {
  const PodFacts* coordinator = coordinator_of(pods);
  return coordinator != nullptr && coordinator->running;
}

bool has_ended(const JobSetFacts& job, const std::vector<PodFacts>& pods) {
  if (job.end != JobSetFacts::End::none && !can_be_asked(pods)) return true;
  const PodFacts* coordinator = coordinator_of(pods);
  // An evicted coordinator left no such message, and is replaced.
  return coordinator != nullptr && reported_end(*coordinator);
}

JobView waiting_view(const JobSetFacts& job, const std::vector<PodFacts>& pods) {
  JobView view;
  view.id = id_of(job);
  view.name = job.name;
  view.backend = "kubernetes";
  view.spec_json = job.spec_json;
  view.submitted = job.created;
  const JobSpec spec = parse_job_json(job.spec_json.empty() ? "{}" : job.spec_json, job.name).spec;
  view.framework = std::string(to_string(spec.framework));
  view.workdir = spec.workdir;
  view.labels = spec.labels;
  view.priority = spec.priority;
  view.restart_limit = spec.restarts.limit;
  view.nodes = nodes_of(spec);
  const PodFacts* coordinator = coordinator_of(pods);
  const std::string termination_message = coordinator == nullptr ? "" : coordinator->termination_message;
  if (job.end != JobSetFacts::End::none || has_ended(job, pods)) {
    set_end_state(view, job, termination_message);
  } else {
    set_live_state(view, job, pods);
  }
  return view;
}

JobView cluster_view(const JobSetFacts& job, const std::vector<PodFacts>& pods) {
  JobView view = waiting_view(job, pods);
  add_ranks(view, parse_job_json(job.spec_json.empty() ? "{}" : job.spec_json, job.name).spec);
  return view;
}

JobId id_of(const JobSetFacts& job) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr size_t kLength = 26;
  // 64-bit FNV-1a, applied twice to fill an id.
  constexpr uint64_t kPrime = 0x100000001b3ULL;
  uint64_t hash = 0xcbf29ce484222325ULL;
  std::string text;
  while (text.size() < kLength) {
    for (const char c : job.uid + job.name) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
    for (int i = 0; i < 13 && text.size() < kLength; ++i) text += kAlphabet[(hash >> (i * 5)) % kAlphabet.size()];
  }
  const Result<JobId> id = JobId::parse(text);
  return id.ok() ? *id : JobId();
}

}  // namespace muster
