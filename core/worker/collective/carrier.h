// SPDX-License-Identifier: Apache-2.0
// Carrier: owns a communicator's transport and makes its calls: checks, numbers, watches and runs them. Calls of several
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
  // `timeout` applies to each call. `meeting` and `roster` must outlive the carrier.
  Carrier(Meeting& meeting, const Roster& roster, Duration timeout);
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  // Sets the transport of all calls. Call it once.
  void adopt(std::unique_ptr<Transport> transport);
  // Null before adopt().
  Transport* transport() const { return transport_.get(); }
  Backend backend() const { return transport_->backend(); }

  Status perform(Call call, const void* in, void* out);
  Status synchronize();
  // Runs `work`, which connects this communicator's transport or a child's, watched like a call.
  Status open(const std::function<std::optional<Broken>()>& work);

  // Ok: the communicator has not failed.
  Status failure() const { return watch_.failure(); }
  // Converts the status of a failed fence. The end of the attempt becomes `aborted`, as for a call in progress.
  Status unmet(const Status& fence, const std::string& doing);

 private:
  Status check(const Call& call, const void* in, const void* out) const;
  Status finish(const std::optional<Broken>& broken);
  void interrupt();

  Meeting& meeting_;
  const Roster& roster_;
  // mutex: protects transport_; the meeting's thread may interrupt it while it is set
  std::mutex transport_mutex_;
  std::unique_ptr<Transport> transport_;
  // mutex: serializes the calls of several threads
  std::mutex calls_;
  uint64_t collectives_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> messages_;  // by pair (from, to)
  std::vector<Call> unfinished_;  // NCCL: calls on the stream since the last synchronize()
  Watch watch_;
  uint64_t on_broken_ = 0;
};

}  // namespace muster::worker
