// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/job/plan/visible_gpus.h"
#include "core/machine/queue/queue.h"

namespace muster::queue {
namespace {

// Limit of different sums. If there are more, no job may start before the head.
constexpr size_t kMostSums = 1024;

// The part of the machine that a job may use, what is free of it, and who holds the rest.
struct View {
  Inventory machine;
  Inventory free;
  std::vector<Holder> holders;
};

// The head's need of one kind of resource, and the amounts that could become free.
struct Demand {
  uint64_t needs = 0;
  uint64_t free = 0;
  std::set<uint64_t> sums;  // amounts that become free when any subset of the holders ends
  bool known = true;        // false: there are too many sums
};

Demand demand_of(uint64_t needs, uint64_t free, const std::vector<uint64_t>& held) {
  Demand demand{needs, free, {0}, true};
  if (needs == 0) return demand;
  for (const uint64_t part : held) {
    if (part == 0 || !demand.known) continue;
    std::set<uint64_t> more;
    for (const uint64_t sum : demand.sums) more.insert(sum + part);
    demand.sums.merge(more);
    demand.known = demand.sums.size() <= kMostSums;
  }
  return demand;
}

// True if the head still has enough without `taken`, whenever it would have enough with it.
bool leaves_enough(const Demand& demand, uint64_t taken) {
  if (demand.needs == 0 || taken == 0 || demand.free >= demand.needs + taken) return true;
  if (!demand.known) return false;
  const uint64_t enough = demand.needs > demand.free ? demand.needs - demand.free : 0;
  const auto first = demand.sums.lower_bound(enough);
  return first == demand.sums.end() || demand.free + *first >= demand.needs + taken;
}

// True if both need resources of the same kind.
bool compete(const Needs& a, const Needs& b) {
  return (a.gpus > 0 && b.gpus > 0) || (a.cpus > 0 && b.cpus > 0) || (a.memory_bytes > 0 && b.memory_bytes > 0) ||
         (a.slots > 0 && b.slots > 0);
}

// Why a job that would fit does not start: another job goes first.
std::string after(const Waiting& head, const Waiting& job) {
  if (head.place.priority > job.place.priority) return head.name + ", which has a higher priority";
  const bool moved = head.submitted > job.submitted;
  return head.name + (moved ? ", which is ahead in the queue" : ", which was submitted earlier");
}

class Admission {
 public:
  Admission(const Inventory& machine, std::vector<Holder> holders) : machine_(machine), holders_(std::move(holders)) {}

  Decision run(const std::vector<Waiting>& waiting) {
    for (const Waiting& job : waiting) consider(job);
    return std::move(decision_);
  }

 private:
  void consider(const Waiting& job) {
    if (std::string held = held_back(job); !held.empty()) return wait(job, std::move(held));
    const View& view = view_of(job);
    const bool now = fits(job.needs, view.free);
    if (head_ != nullptr && delays_head(job, now ? claim_of(job, view.free) : Claim()))
      return wait(job, after(*head_, job));
    if (now) return start(job, claim_of(job, view.free));
    wait(job, shortage(job.needs, view.machine, view.free, view.holders));
    if (head_ == nullptr && fits(job.needs, view.machine)) head_ = &job;
  }

  // Cached, because most jobs may use the same part of the machine.
  const View& view_of(const Waiting& job) {
    const auto [found, fresh] = views_.try_emplace({job.cuda_visible_devices, job.takes_busy});
    View& view = found->second;
    if (!fresh) return view;
    view.machine = machine_;
    if (job.cuda_visible_devices) view.machine.gpus = visible_gpus(machine_.gpus, job.cuda_visible_devices);
    view.holders = in_its_way(holders_, job.takes_busy);
    view.free = without(view.machine, view.holders);
    return view;
  }

  // The first free devices, in the order in which plans assign them.
  static Claim claim_of(const Waiting& job, const Inventory& free) {
    Claim claim;
    for (size_t i = 0; i < job.needs.gpus; ++i) claim.gpus.insert(free.gpus[i].uuid);
    claim.cpus.insert(free.cpus.begin(), free.cpus.begin() + static_cast<ptrdiff_t>(job.needs.cpus));
    claim.memory_bytes = job.needs.memory_bytes;
    return claim;
  }

  void start(const Waiting& job, Claim claim) {
    decision_.starts.push_back({job.id, claim});
    holders_.push_back({job.name, std::move(claim), false});
    demands_.clear();
    views_.clear();
  }

  void wait(const Waiting& job, std::string why) { decision_.waits.emplace_back(job.id, std::move(why)); }

  // For a job that does not fit now, the most that it could take counts.
  bool delays_head(const Waiting& job, const Claim& claim) {
    if (demands_.empty()) examine_head();
    const auto gpus = static_cast<uint64_t>(std::count_if(
        claim.gpus.begin(), claim.gpus.end(), [&](const std::string& uuid) { return head_gpus_.count(uuid) > 0; }));
    const bool some = !claim.empty();
    return !leaves_enough(demands_[0], some ? gpus : job.needs.gpus) || !leaves_enough(demands_[1], job.needs.cpus) ||
           !leaves_enough(demands_[2], job.needs.memory_bytes);
  }

  void examine_head() {
    const View& view = view_of(*head_);
    head_gpus_.clear();
    for (const Gpu& gpu : view.machine.gpus) head_gpus_.insert(gpu.uuid);
    std::vector<uint64_t> gpus, cpus, memory;
    for (const Holder& holder : view.holders) {
      const Inventory left = without(view.machine, {holder});
      gpus.push_back(view.machine.gpus.size() - left.gpus.size());
      cpus.push_back(view.machine.cpus.size() - left.cpus.size());
      memory.push_back(holder.claim.memory_bytes);
    }
    const bool counted = view.free.memory_bytes.has_value();
    demands_ = {demand_of(head_->needs.gpus, view.free.gpus.size(), gpus),
                demand_of(head_->needs.cpus, view.free.cpus.size(), cpus),
                demand_of(counted ? head_->needs.memory_bytes : 0, view.free.memory_bytes.value_or(0), memory)};
  }

  const Inventory& machine_;
  std::vector<Holder> holders_;
  std::map<std::pair<std::optional<std::string>, bool>, View> views_;
  const Waiting* head_ = nullptr;
  std::vector<Demand> demands_;  // of the head: GPUs, CPUs, memory; empty: to be computed again
  std::set<std::string> head_gpus_;
  Decision decision_;
};

}  // namespace

std::vector<Holder> in_its_way(const std::vector<Holder>& holders, bool takes_busy) {
  std::vector<Holder> some = holders;
  if (takes_busy) std::erase_if(some, [](const Holder& holder) { return holder.foreign; });
  return some;
}

std::string held_back(const Waiting& job) {
  return job.place.held_by.empty() ? "" : "`muster release " + job.name + "`: held by " + job.place.held_by;
}

std::string HostTurns::behind(const Waiting& job, const std::set<std::string>& hosts) const {
  for (const auto& [earlier, theirs] : waiting_) {
    const bool meet =
        std::any_of(hosts.begin(), hosts.end(), [&, &of = theirs](const auto& host) { return of.count(host) > 0; });
    if (meet && compete(earlier.needs, job.needs)) return after(earlier, job);
  }
  return "";
}

void sort(std::vector<Waiting>& waiting) {
  const auto key = [](const Waiting& job) { return std::tuple(-job.place.priority, job.place.place, job.id); };
  std::sort(waiting.begin(), waiting.end(), [&](const Waiting& a, const Waiting& b) { return key(a) < key(b); });
}

Decision decide(const Inventory& machine, std::vector<Holder> holders, std::vector<Waiting> waiting) {
  sort(waiting);
  return Admission(machine, std::move(holders)).run(waiting);
}

}  // namespace muster::queue
