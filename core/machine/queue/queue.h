// The queue machine: which waiting jobs start now, what each of the others waits for, and where commands move them. Pure.
//
// Order: the higher priority first, then the lower place (the time of submission, until somebody moves the job). The first
// that is not held and could fit this machine is the head. A later job starts before it (backfill) only where it cannot
// push the head's start back, whatever ends in whichever order: when jobs end is never guessed.
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

// Where a job stands.
struct Place {
  int32_t priority = 0;
  int64_t place = 0;    // UNIX nanoseconds of its submission; moved, any number
  std::string held_by;  // "nils's command"; empty: nobody holds it
  bool operator==(const Place&) const = default;
};

struct Waiting {
  JobId id;
  std::string name;
  TimePoint submitted;
  Place place;
  Needs needs;
  std::optional<std::string> cuda_visible_devices;  // of the submitting shell: it may have no other GPUs
  bool takes_busy = false;                          // GPUs that processes outside muster compute on
};

// In the order of the queue.
void sort(std::vector<Waiting>& waiting);

struct Start {
  JobId id;
  Claim claim;  // the first devices that are free, as plans deal them
};

struct Decision {
  std::vector<Start> starts;                         // in this order
  std::vector<std::pair<JobId, std::string>> waits;  // of all others what they wait for, in the order of the queue
};

// `holders`: everybody who has something of the machine now.
Decision decide(const Inventory& machine, std::vector<Holder> holders, std::vector<Waiting> waiting);

// What a job waits for that somebody holds; empty: nobody does.
std::string held_back(const Waiting& job);

// Jobs over hosts that they bring, one after the other in the order of the queue. Their hosts are not the same, so that only this is
// said: who comes later starts first where it needs nothing that an earlier one, which waits, may want on a host of both.
class HostTurns {
 public:
  // By names of hosts, and whatever else names one. Why the job does not start though it may fit; empty: it may.
  std::string behind(const Waiting& job, const std::set<std::string>& hosts) const;
  // The job waits.
  void wait(Waiting job, std::set<std::string> hosts) { waiting_.emplace_back(std::move(job), std::move(hosts)); }

 private:
  std::vector<std::pair<Waiting, std::set<std::string>>> waiting_;
};

// Who of `holders` counts for the job: all, but for processes outside muster where it takes their GPUs.
std::vector<Holder> in_its_way(const std::vector<Holder>& holders, bool takes_busy);

enum class Act { hold, release, first, last, before, after, stay };

struct Order {
  JobId job;
  Act act = Act::stay;
  JobId other;                      // of before and after
  std::optional<int32_t> priority;  // from now on
  std::string by;                   // the user
};

struct Change {
  JobId id;
  Place place;
  std::string sentence;  // empty: of one that makes room
};

// What an order changes; the job itself first. Nothing: it stands so already. A job that comes to stand between others
// takes a priority that belongs there. failed_precondition: `job` or `other` does not wait.
Result<std::vector<Change>> arrange(std::vector<Waiting> waiting, const Order& order, TimePoint now);

}  // namespace muster::queue
