// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"
#include "core/wire/values/wire_text.h"

namespace muster {

wire::SubmitRequest to_wire(const SubmitRequest& value) {
  wire::SubmitRequest message;
  message.set_submit_key(value.submit_key);
  message.set_spec_json(wire_text(value.spec_json));
  message.set_origin(value.origin);
  message.set_manifest(value.manifest);
  message.set_code_commit(value.code_commit);
  fill(message.mutable_environment(), value.environment);
  fill(message.mutable_secrets(), value.secrets);
  *message.mutable_settings() = wire_settings(value.settings);
  *message.mutable_streams() = wire_streams(value.streams);
  message.set_code_hash(value.code_hash);
  message.set_hosts_json(value.hosts_json);
  return message;
}

SubmitRequest from_wire(const wire::SubmitRequest& message, Status&) {
  SubmitRequest value;
  value.submit_key = message.submit_key();
  value.spec_json = message.spec_json();
  value.origin = message.origin();
  value.manifest = message.manifest();
  value.code_commit = message.code_commit();
  value.environment = map_from(message.environment());
  value.secrets = map_from(message.secrets());
  value.settings = settings_from(message.settings());
  value.streams = streams_from(message.streams());
  value.code_hash = message.code_hash();
  value.hosts_json = message.hosts_json();
  return value;
}

// In the order of ArrangeRequest::Act, which has no number for "unspecified".
wire::ArrangeRequest to_wire(const ArrangeRequest& value) {
  wire::ArrangeRequest message;
  message.set_job(value.job);
  message.set_act(static_cast<wire::ArrangeRequest::Act>(static_cast<int>(value.act) + 1));
  message.set_other(value.other);
  if (value.priority) message.set_priority(*value.priority);
  message.set_by(value.by);
  return message;
}

ArrangeRequest from_wire(const wire::ArrangeRequest& message, Status& trouble) {
  constexpr int kHighestPriority = 100;
  ArrangeRequest value;
  value.job = message.job();
  value.other = message.other();
  value.by = message.by();
  const bool known = message.act() != wire::ArrangeRequest::ACT_UNSPECIFIED &&
                     wire::ArrangeRequest::Act_IsValid(static_cast<int>(message.act()));
  if (known) value.act = static_cast<ArrangeRequest::Act>(static_cast<int>(message.act()) - 1);
  if (!known) trouble = Status(Code::invalid_argument, "unknown change of the job's place in the queue");
  if (message.has_priority()) value.priority = std::clamp(message.priority(), -kHighestPriority, kHighestPriority);
  return value;
}

wire::TtyBytes to_wire(const TtyBytes& value) {
  wire::TtyBytes message;
  message.set_job(value.job);
  message.set_index(value.index);
  message.set_bytes(value.bytes);
  message.set_rows(value.rows);
  message.set_columns(value.columns);
  return message;
}

TtyBytes from_wire(const wire::TtyBytes& message, Status& trouble) {
  TtyBytes value;
  value.job = message.job();
  value.index = message.index();
  value.bytes = message.bytes();
  value.rows = short_from(message.rows(), "the number of rows", trouble);
  value.columns = short_from(message.columns(), "the number of columns", trouble);
  return value;
}

wire::PruneRequest to_wire(const PruneRequest& value) {
  wire::PruneRequest message;
  if (value.older) message.set_older_nanos(value.older->count());
  if (value.bytes) message.set_bytes(*value.bytes);
  message.set_look_only(value.look_only);
  return message;
}

PruneRequest from_wire(const wire::PruneRequest& message, Status&) {
  PruneRequest value;
  if (message.has_older_nanos()) value.older = Duration(message.older_nanos());
  if (message.has_bytes()) value.bytes = message.bytes();
  value.look_only = message.look_only();
  return value;
}

wire::Pruned to_wire(const Pruned& value) {
  wire::Pruned message;
  for (const std::string& name : value.names) message.add_names(wire_text(name));
  message.set_bytes(value.bytes);
  message.set_left_bytes(value.left_bytes);
  return message;
}

Pruned from_wire(const wire::Pruned& message, Status&) {
  return {strings_from(message.names()), message.bytes(), message.left_bytes()};
}

wire::ControllerInfo to_wire(const ControllerInfo& value) {
  wire::ControllerInfo message;
  message.set_version(wire_text(value.version));
  message.set_binary_hash(wire_text(value.binary_hash));
  message.set_pid(value.pid);
  message.set_started_nanos(to_unix_nanos(value.started));
  message.set_state_folder(value.state_folder);
  message.set_live_jobs(value.live_jobs);
  message.mutable_means()->insert(value.means.begin(), value.means.end());
  for (const IdleAgent& agent : value.idle_agents) {
    wire::IdleAgent& added = *message.add_idle_agents();
    added.set_pid(agent.pid);
    added.set_warm(agent.warm);
    added.set_since_nanos(to_unix_nanos(agent.since));
    added.set_memory_bytes(agent.memory_bytes);
  }
  return message;
}

ControllerInfo from_wire(const wire::ControllerInfo& message, Status&) {
  ControllerInfo value;
  value.version = message.version();
  value.binary_hash = message.binary_hash();
  value.pid = message.pid();
  value.started = time_from(message.started_nanos());
  value.state_folder = message.state_folder();
  value.live_jobs = message.live_jobs();
  value.means = {message.means().begin(), message.means().end()};
  for (const wire::IdleAgent& agent : message.idle_agents())
    value.idle_agents.push_back({agent.pid(), agent.warm(), time_from(agent.since_nanos()), agent.memory_bytes()});
  return value;
}

}  // namespace muster
