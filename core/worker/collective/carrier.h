// Carrier: a communicator's transport and the calls over it, each checked, numbered, watched and carried. Calls of several
// threads run one after the other. Any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/worker/collective/roster.h"
#include "core/worker/collective/transport.h"
#include "core/worker/collective/watch.h"
#include "core/worker/meeting.h"

namespace muster::worker {

class Carrier {
 public:
  // `timeout`: of each call. The arguments outlive the carrier.
  Carrier(Meeting& meeting, const Roster& roster, Duration timeout);
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  // The transport of all calls from here on. Once.
  void adopt(std::unique_ptr<Transport> transport);
  // Null before adopt().
  Transport* transport() const { return transport_.get(); }
  Backend backend() const { return transport_->backend(); }

  Status perform(Call call, const void* in, void* out);
  Status synchronize();
  // Runs what opens this communicator's transport or a child's, watched as a call.
  Status open(const std::function<std::optional<Broken>()>& work);

  // Ok: the communicator is not broken.
  Status failure() const { return watch_.failure(); }
  // Why a fence failed. The attempt's end is ABORTED, as it is for a call that was under way.
  Status unmet(const Status& fence, const std::string& doing);

 private:
  Status check(const Call& call, const void* in, const void* out) const;
  Status finish(const std::optional<Broken>& broken);
  void interrupt();

  Meeting& meeting_;
  const Roster& roster_;
  // mutex: the transport comes while the attempt may break, on the meeting's thread
  std::mutex transport_mutex_;
  std::unique_ptr<Transport> transport_;
  // mutex: calls of several threads are one after the other
  std::mutex calls_;
  uint64_t collectives_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> messages_;  // of each pair (from, to)
  std::vector<Call> unfinished_;                                // NCCL: put on the stream since it was last waited for
  Watch watch_;
  uint64_t on_broken_ = 0;
};

}  // namespace muster::worker
