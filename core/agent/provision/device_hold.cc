// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/device_hold.h"

#include <algorithm>

namespace muster {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(200);
// Normally all hosts of a job hold their GPUs within this time.
constexpr Duration kHeldAtLeast = std::chrono::seconds(3);
// The time doubles up to this limit: a release does not help if both jobs wait for a third, and each is written to the journal.
constexpr Duration kHeldAtMost = std::chrono::minutes(5);
// Least time of a release: longer than other agents need to notice it. A random part is added, so that two agents differ.
constexpr Duration kAway = std::chrono::milliseconds(500);

}  // namespace

DeviceHold::DeviceHold(Loop& loop, MachineLeases& leases, std::vector<std::string> gpus, uint64_t seed,
                       std::function<void()> changed)
    : loop_(loop),
      leases_(leases),
      gpus_(std::move(gpus)),
      random_(seed),
      patience_(kHeldAtLeast),
      changed_(std::move(changed)) {}

DeviceHold::~DeviceHold() { loop_.cancel(timer_); }

void DeviceHold::start() {
  if (!held() && timer_ == 0) attempt();
}

void DeviceHold::attempt() {
  auto lease = leases_.lease_gpus(gpus_);
  if (!lease.ok()) {
    if (!want_) want_ = leases_.want_gpus(gpus_);
    timer_ = loop_.at(loop_.now() + kLookAgain, [this] { attempt(); });
    return tell(lease.status().message());
  }
  lease_ = std::move(*lease);
  want_.reset();
  kept_until_ = loop_.now() + patience_ + up_to(patience_);
  patience_ = std::min(2 * patience_, kHeldAtMost);
  timer_ = loop_.at(loop_.now() + kLookAgain, [this] { look_for_others(); });
  waits_for_.clear();
  changed_();
}

void DeviceHold::look_for_others() {
  if (loop_.now() > kept_until_ && leases_.are_wanted(gpus_)) return release_briefly();
  timer_ = loop_.at(loop_.now() + kLookAgain, [this] { look_for_others(); });
}

void DeviceHold::release_briefly() {
  lease_.reset();
  timer_ = loop_.at(loop_.now() + kAway + up_to(kAway), [this] { attempt(); });
  tell("they are lent to another job while this one waits for its other hosts");
}

Duration DeviceHold::up_to(Duration most) {
  return Duration(static_cast<int64_t>(random_.below(static_cast<uint64_t>(most.count()))));
}

void DeviceHold::use() {
  if (!held()) return;
  loop_.cancel(timer_);
  timer_ = 0;
}

void DeviceHold::tell(const std::string& waits_for) {
  if (waits_for == waits_for_) return;
  waits_for_ = waits_for;
  changed_();
}

}  // namespace muster
