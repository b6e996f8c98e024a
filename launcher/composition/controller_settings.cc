// SPDX-License-Identifier: Apache-2.0
#include "launcher/composition/controller_settings.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

template <typename Value>
Status read_variable(const CallerContext& caller, const char* name, Result<Value> (*parse)(std::string_view),
                     std::optional<Value>& read) {
  const std::optional<std::string> given = caller.variable(name);
  if (!given) return Status();
  const Result<Value> value = parse(*given);
  if (value.ok()) read = *value;
  return value.status().with_context(name);
}

// 0 means no limit.
template <typename Value>
Status read_limit(const CallerContext& caller, const char* name, Result<Value> (*parse)(std::string_view),
                  std::optional<Value>& limit) {
  const Status status = read_variable(caller, name, parse, limit);
  if (limit == Value(0)) limit.reset();
  return status;
}

}  // namespace

Result<ControllerSettings> controller_settings(const CallerContext& caller) {
  ControllerSettings settings;
  std::optional<Duration> idle;
  Status status = read_variable(caller, "MUSTER_IDLE", parse_duration, idle);
  if (idle) settings.idle = settings.idle_with_warm_agents = *idle;
  Retention& retention = settings.retention;
  if (status.ok()) status = read_limit(caller, "MUSTER_KEEP_AGE", parse_duration, retention.age);
  if (status.ok()) status = read_limit(caller, "MUSTER_KEEP_SIZE", parse_size, retention.bytes);
  if (retention.age) retention.at_least = std::min(retention.at_least, *retention.age);
  return status.ok() ? Result<ControllerSettings>(settings) : status;
}

}  // namespace muster
