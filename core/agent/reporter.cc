// SPDX-License-Identifier: Apache-2.0
#include "core/agent/reporter.h"

namespace muster {

void Reporter::changed() {
  if (pending_) return;
  pending_ = true;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    pending_ = false;
    report_();
  });
}

void Reporter::send(ChannelToCoordinator& channel, const Report& report, bool repeated, bool leased) {
  if (!repeated) repeats_.reset();
  if (repeats_.due(report, leased ? 1 : beats_between(look_every_))) channel.send(report);
}

}  // namespace muster
