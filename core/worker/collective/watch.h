// Watch: looks after calls that take long. While all goes well it costs a call a lock and no message.
//
// A call that lasts longer than its patience is written to the store with its sizes, and the others' are read: ranks
// that made different calls, or wait for each other, all fail with one sentence (verdict.h); one that is merely late
// never does. At the deadline it says who has not come. The first failure is kept: the communicator is of no use
// afterwards.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/worker/collective/roster.h"
#include "core/worker/collective/transport.h"
#include "core/worker/collective/verdict.h"
#include "core/worker/meeting.h"

namespace muster::worker {

class Watch {
 public:
  // `interrupt` ends the call that is under way; it is called from the watch's thread, the meeting's or that of the
  // caller. Starts a thread where there is more than one rank.
  Watch(Meeting& meeting, const Roster& roster, Duration timeout, std::function<void()> interrupt);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Ends its thread; afterwards it interrupts nothing by itself.
  void stop();

  // Before and after a call. `calls`: it, and before it those that have not finished; empty: the communicator is being
  // opened. Fails with what broke the communicator. The thread of the caller.
  Status enter(std::vector<Call> calls);
  // `done`: it succeeded.
  void leave(bool done);

  // Breaks the communicator, unless it is broken. Any thread.
  void fail(const Status& status);
  // Ok: it is not broken. Any thread.
  Status failure() const;
  // What to tell the user when the transport says `broken`: the failure that is known, else what the peers or the
  // attempt say, else its own words. Breaks the communicator and tells the peers. Takes up to 0.7 s. The thread of the
  // caller, within a call.
  Status explain(const Broken& broken);

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void look(const RankProgress& own);
  void give_up(const RankProgress& own);
  // The standings of the ranks worth asking, with this one's.
  GroupProgress standing_of(const RankProgress& own, bool all) const;
  void publish(const std::string& value);
  std::optional<Status> published_failure() const;
  void publish_failure(const Status& status);

  Meeting& meeting_;
  const Roster& roster_;
  const Duration timeout_;
  const std::function<void()> interrupt_;

  // mutex: calls come from the user's threads, failures from the meeting's, both are read by the watch's own
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::vector<Call>> doing_;
  Clock::time_point began_;
  uint64_t generation_ = 0;
  bool armed_ = false;      // the thread looks at the clock; else a call must wake it
  bool published_ = false;  // the store has something to take back
  bool stopping_ = false;
  Status failure_;
  std::map<std::pair<uint32_t, uint32_t>, Call> passed_;  // the last message finished of each pair
  std::thread thread_;
};

}  // namespace muster::worker
