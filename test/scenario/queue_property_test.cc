// SPDX-License-Identifier: Apache-2.0
// Random queues: the head starts no later than it would if no later job could start before it.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "core/machine/queue/queue.h"

namespace muster::queue {
namespace {

constexpr uint64_t kGiB = 1ULL << 30;

Inventory machine() {
  Inventory machine;
  for (uint32_t i = 0; i < 8; ++i) machine.gpus.push_back({i, "GPU-" + std::to_string(i), "", 0, -1});
  for (uint32_t i = 0; i < 16; ++i) machine.cpus.push_back(i);
  machine.memory_bytes = 64 * kGiB;
  return machine;
}

// One machine over time: jobs are submitted, the queue starts them, and they end in an order that the seed gives.
struct World {
  struct Running {
    JobId id;
    Holder holder;
    uint64_t ends = 0;
  };

  uint64_t now = 0;
  std::vector<Waiting> waiting;
  std::vector<Running> running;
  std::map<JobId, uint64_t> lasts;
  std::map<JobId, uint64_t> started;

  std::vector<Holder> holders() const {
    std::vector<Holder> all;
    for (const Running& each : running) all.push_back(each.holder);
    return all;
  }

  // `only`: no other job may start (strictly first come, first served).
  void decide_now(const std::optional<JobId>& only = std::nullopt) {
    std::vector<Waiting> asked = waiting;
    if (only) std::erase_if(asked, [&](const Waiting& job) { return job.id != *only; });
    for (const Start& start : decide(machine(), holders(), asked).starts) {
      started[start.id] = now;
      running.push_back({start.id, {"job", start.claim, false}, now + lasts[start.id]});
      std::erase_if(waiting, [&](const Waiting& job) { return job.id == start.id; });
    }
  }

  void end_due() {
    std::erase_if(running, [&](const Running& each) { return each.ends <= now; });
  }

  // The first job that is not held; nothing: there is none.
  std::optional<JobId> head() {
    sort(waiting);
    for (const Waiting& job : waiting) {
      if (job.place.held_by.empty()) return job.id;
    }
    return std::nullopt;
  }

  void expect_nothing_twice() const {
    std::set<std::string> gpus;
    std::set<uint32_t> cpus;
    uint64_t memory = 0;
    size_t devices = 0;
    for (const Running& each : running) {
      gpus.insert(each.holder.claim.gpus.begin(), each.holder.claim.gpus.end());
      cpus.insert(each.holder.claim.cpus.begin(), each.holder.claim.cpus.end());
      memory += each.holder.claim.memory_bytes;
      devices += each.holder.claim.gpus.size() + each.holder.claim.cpus.size();
    }
    EXPECT_EQ(gpus.size() + cpus.size(), devices);
    EXPECT_LE(memory, *machine().memory_bytes);
  }
};

// The time at which this job starts if no other job starts from now on.
uint64_t strictly_first_start(World world, const JobId& job) {
  for (; world.started.count(job) == 0; ++world.now) {
    world.end_due();
    world.decide_now(job);
    if (world.now > 1'000'000) break;
  }
  return world.started[job];
}

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {}

  void run() {
    for (world_.now = 0; world_.now < 120 || !world_.waiting.empty(); ++world_.now) {
      world_.end_due();
      if (world_.now < 100 && random_.below(2) == 0) submit();
      if (world_.now < 100 && random_.below(8) == 0) arrange_one();
      if (world_.now >= 100) release_all();
      note_head();
      world_.decide_now();
      world_.expect_nothing_twice();
      expect_head_in_time();
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  void submit() {
    Waiting job;
    job.id = JobId::make(random_);
    job.submitted = from_unix_nanos(static_cast<int64_t>(world_.now));
    job.place = {static_cast<int32_t>(random_.below(3)) - 1, static_cast<int64_t>(world_.now), ""};
    job.needs.gpus = random_.below(3) == 0 ? 0 : random_.below(9);
    job.needs.cpus = random_.below(2) == 0 ? 0 : random_.below(17);
    job.needs.memory_bytes = random_.below(2) == 0 ? 0 : random_.below(17) * 4 * kGiB;
    if (random_.below(3) == 0) {
      job.cuda_visible_devices = "0,1,2,3";
      job.needs.gpus %= 5;
    }
    world_.lasts[job.id] = 1 + random_.below(20);
    world_.waiting.push_back(job);
  }

  void arrange_one() {
    if (world_.waiting.empty()) return;
    Order order;
    order.job = world_.waiting[random_.below(world_.waiting.size())].id;
    order.other = world_.waiting[random_.below(world_.waiting.size())].id;
    order.act = static_cast<Act>(random_.below(7));
    order.by = "nils";
    if (order.act == Act::stay) order.priority = static_cast<int32_t>(random_.below(3)) - 1;
    take(order);
  }

  void take(const Order& order) {
    const auto changes = arrange(world_.waiting, order, from_unix_nanos(static_cast<int64_t>(world_.now)));
    if (!changes.ok()) return;
    for (const Change& change : *changes) {
      for (Waiting& job : world_.waiting) {
        if (job.id == change.id) job.place = change.place;
      }
    }
    expect_moved(order);
  }

  void expect_moved(const Order& order) {
    sort(world_.waiting);
    const auto at = [&](const JobId& id) {
      return std::find_if(world_.waiting.begin(), world_.waiting.end(),
                          [&](const Waiting& job) { return job.id == id; }) -
             world_.waiting.begin();
    };
    const auto place = at(order.job);
    if (order.act == Act::first) {
      EXPECT_EQ(place, 0);
    }
    if (order.act == Act::last) {
      EXPECT_EQ(place, static_cast<int64_t>(world_.waiting.size()) - 1);
    }
    if (order.act == Act::before) {
      EXPECT_EQ(place, at(order.other) - 1);
    }
    if (order.act == Act::after) {
      EXPECT_EQ(place, at(order.other) + 1);
    }
  }

  void release_all() {
    for (Waiting& job : world_.waiting) job.place.held_by.clear();
  }

  // Records the latest start of the job that is the head now, valid while it remains the head.
  void note_head() {
    const std::optional<JobId> head = world_.head();
    if (!head || head == head_) return;
    head_ = head;
    latest_ = strictly_first_start(world_, *head);
  }

  void expect_head_in_time() {
    if (!head_) return;
    const auto started = world_.started.find(*head_);
    if (started != world_.started.end()) {
      EXPECT_LE(started->second, latest_);
      head_.reset();
    } else if (world_.head() == head_) {
      EXPECT_LT(world_.now, latest_) << "the head was delayed";
    } else {
      head_.reset();  // another job was moved before it
    }
  }

  Random random_;
  World world_;
  std::optional<JobId> head_;
  uint64_t latest_ = 0;
};

TEST(QueueProperty, TheHeadStartsNoLaterThanIfNobodyBehindItCould) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    History(seed).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace muster::queue
