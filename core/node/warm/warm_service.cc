// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_service.h"

namespace muster {

void WarmService::start(const ServiceStart& start, ServiceEvents events) {
  importing_ = TimePoint();
  if (!start.desired.warm) {
    imports_.prepare({}, WarmTask(), [](const std::string&) {});  // drops an earlier job's parent
    return events.ready();
  }
  const auto ready = std::make_shared<bool>(false);
  const TimePoint begun = loop_.now();
  imports_.prepare(start.ranks(), *start.desired.warm, [alive = alive_, ready, events](const std::string& reason) {
    if (!*alive) return;
    *ready = true;
    if (!reason.empty()) events.trouble(reason);
    events.ready();
  });
  if (!*ready) importing_ = begun;
}

void WarmService::tell(Report& report) {
  if (importing_ != TimePoint()) report.importing = importing_;
}

}  // namespace muster
