#include "core/adapter/grpc/convert.h"
#include "core/adapter/grpc/convert_tools.h"
#include "core/adapter/grpc/wire_text.h"

namespace muster {

wire::SubmitRequest to_wire(const SubmitRequest& value) {
  wire::SubmitRequest message;
  message.set_submit_key(value.submit_key);
  message.set_spec_json(wire_text(value.spec_json));
  message.set_origin(value.origin);
  message.set_code_commit(value.code_commit);
  fill(message.mutable_environment(), value.environment);
  fill(message.mutable_secrets(), value.secrets);
  *message.mutable_settings() = wire_settings(value.settings);
  return message;
}

SubmitRequest from_wire(const wire::SubmitRequest& message, Status&) {
  SubmitRequest value;
  value.submit_key = message.submit_key();
  value.spec_json = message.spec_json();
  value.origin = message.origin();
  value.code_commit = message.code_commit();
  value.environment = map_from(message.environment());
  value.secrets = map_from(message.secrets());
  value.settings = settings_from(message.settings());
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
    value.idle_agents.push_back({agent.pid(), agent.warm(), time_from(agent.since_nanos())});
  return value;
}

}  // namespace muster
