// SPDX-License-Identifier: Apache-2.0
// The queue machine: decides which waiting jobs start now, says what the others wait for, and moves jobs in the queue. Pure.
//
// Order: higher priority first, then lower place (the time of submission, until somebody moves the job). The first job that
// is not held and that fits on the empty machine is the head. Backfill: a later job starts before the head only if it cannot
// delay the head, in whichever order running jobs end. The queue never estimates when a job ends.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/job/plan/claim.h"

namespace muster::queue {

// The position of a job in the queue.
struct Place {
  int32_t priority = 0;
  int64_t place = 0;    // UNIX nanoseconds of its submission; any number for a job that was moved
  std::string held_by;  // "nils with `muster hold`"; empty: the job is not held
  bool operator==(const Place&) const = default;
};

struct Waiting {
  JobId id;
  std::string name;
  TimePoint submitted;
  Place place;
  Needs needs;
  std::optional<std::string> cuda_visible_devices;  // of the submitting shell: the only GPUs that the job may get
  bool takes_busy = false;                          // may get GPUs that processes outside muster use
};

// Sorts into the order of the queue.
void sort(std::vector<Waiting>& waiting);

struct Start {
  JobId id;
  Claim claim;  // the first free devices, in the order in which plans assign them
};

struct Decision {
  std::vector<Start> starts;                         // in this order
  std::vector<std::pair<JobId, std::string>> waits;  // what each other job waits for, in the order of the queue
};

// `holders`: all current holders of devices of the machine.
Decision decide(const Inventory& machine, std::vector<Holder> holders, std::vector<Waiting> waiting);

// The sentence for a held job; empty if the job is not held.
std::string held_back(const Waiting& job);

// The order of jobs that bring their own hosts; ask for them in the order of the queue. A later job may start first if, on every
// host that both may use, it needs nothing that an earlier waiting job needs.
class HostTurns {
 public:
  // `hosts`: names and other identifiers of hosts. Why the job must wait for an earlier one; empty: it may start.
  std::string behind(const Waiting& job, const std::set<std::string>& hosts) const;
  // Adds a waiting job.
  void wait(Waiting job, std::set<std::string> hosts) { waiting_.emplace_back(std::move(job), std::move(hosts)); }

 private:
  std::vector<std::pair<Waiting, std::set<std::string>>> waiting_;
};

// The holders that block the job. Processes outside muster are left out if `takes_busy`.
std::vector<Holder> in_its_way(const std::vector<Holder>& holders, bool takes_busy);

enum class Act { hold, release, first, last, before, after, stay };

struct Order {
  JobId job;
  Act act = Act::stay;
  JobId other;                      // for `before` and `after`
  std::optional<int32_t> priority;  // the new one
  std::string by;                   // the user
};

struct Change {
  JobId id;
  Place place;
  std::string sentence;  // empty: the job was moved only to make place for another
};

// The changes that an order makes, those of the job itself first; empty if it changes nothing. A job that is moved between
// others takes a priority that fits there. failed_precondition: `job` or `other` is not queued.
Result<std::vector<Change>> arrange(std::vector<Waiting> waiting, const Order& order, TimePoint now);

}  // namespace muster::queue
