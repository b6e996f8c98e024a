// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"
#include "core/wire/values/wire_text.h"

namespace muster {
namespace {

wire::RankView wire_rank(const RankView& value) {
  wire::RankView message;
  message.set_index(value.index);
  message.set_group(wire_text(value.group));
  message.set_rank(value.rank);
  message.set_name(wire_text(value.name));
  message.set_node(value.node);
  message.set_host(value.host);
  message.set_phase(std::string(to_string(value.phase)));
  if (value.exit) *message.mutable_exit() = to_wire(*value.exit);
  message.set_pid(value.pid);
  for (const std::string& gpu : value.gpus) message.add_gpus(wire_text(gpu));
  message.mutable_cpus()->Assign(value.cpus.begin(), value.cpus.end());
  message.set_started_nanos(to_unix_nanos(value.started));
  message.set_ended_nanos(to_unix_nanos(value.ended));
  if (value.progress) *message.mutable_progress() = to_wire(*value.progress);
  if (value.finding) *message.mutable_finding() = to_wire(*value.finding);
  if (value.standing) *message.mutable_standing() = to_wire(*value.standing);
  message.set_pace(value.pace);
  if (value.use) *message.mutable_use() = to_wire(*value.use);
  return message;
}

RankPhase phase_from(const std::string& name, Status& trouble) {
  const std::optional<RankPhase> phase = rank_phase_from(name);
  if (!phase) note(trouble, Code::invalid_argument, "unknown phase of a rank `" + name + "`");
  return phase.value_or(RankPhase::waiting);
}

RankView rank_from(const wire::RankView& message, Status& trouble) {
  RankView value;
  value.index = message.index();
  value.group = message.group();
  value.rank = message.rank();
  value.name = message.name();
  value.node = message.node();
  value.host = message.host();
  value.phase = phase_from(message.phase(), trouble);
  if (message.has_exit()) value.exit = from_wire(message.exit(), trouble);
  value.pid = message.pid();
  value.gpus = strings_from(message.gpus());
  value.cpus = {message.cpus().begin(), message.cpus().end()};
  value.started = time_from(message.started_nanos());
  value.ended = time_from(message.ended_nanos());
  if (message.has_progress()) value.progress = from_wire(message.progress(), trouble);
  if (message.has_finding()) value.finding = from_wire(message.finding(), trouble);
  if (message.has_standing()) value.standing = from_wire(message.standing());
  value.pace = message.pace();
  if (message.has_use()) value.use = from_wire(message.use());
  return value;
}

wire::JobProgress wire_progress(const JobProgress& value) {
  wire::JobProgress message;
  *message.mutable_progress() = to_wire(value.progress);
  message.set_per_step_nanos(value.per_step.count());
  message.set_remaining_nanos(value.remaining.count());
  return message;
}

JobProgress progress_from(const wire::JobProgress& message, Status& trouble) {
  return {from_wire(message.progress(), trouble), Duration(message.per_step_nanos()),
          Duration(message.remaining_nanos())};
}

wire::AttemptView wire_attempt(const AttemptView& value) {
  wire::AttemptView message;
  message.set_attempt(value.attempt);
  message.set_placed_nanos(to_unix_nanos(value.placed));
  message.set_running_nanos(to_unix_nanos(value.running));
  message.set_preparing_nanos(to_unix_nanos(value.preparing));
  message.set_prepared_nanos(to_unix_nanos(value.prepared));
  message.set_importing_nanos(to_unix_nanos(value.importing));
  message.set_working_nanos(to_unix_nanos(value.working));
  message.set_stopping_nanos(to_unix_nanos(value.stopping));
  message.set_ended_nanos(to_unix_nanos(value.ended));
  message.set_cause(wire_text(value.cause));
  if (value.culprit) message.set_culprit(*value.culprit);
  *message.mutable_culprit_exit() = to_wire(value.culprit_exit);
  for (const std::string& sentence : value.consequences) message.add_consequences(wire_text(sentence));
  message.set_stack(value.stack);
  message.set_group(wire_text(value.group));
  return message;
}

AttemptView attempt_from(const wire::AttemptView& message, Status& trouble) {
  AttemptView value;
  value.attempt = message.attempt();
  value.placed = time_from(message.placed_nanos());
  value.running = time_from(message.running_nanos());
  value.preparing = time_from(message.preparing_nanos());
  value.prepared = time_from(message.prepared_nanos());
  value.importing = time_from(message.importing_nanos());
  value.working = time_from(message.working_nanos());
  value.stopping = time_from(message.stopping_nanos());
  value.ended = time_from(message.ended_nanos());
  value.cause = message.cause();
  if (message.has_culprit()) value.culprit = message.culprit();
  if (message.has_culprit_exit()) value.culprit_exit = from_wire(message.culprit_exit(), trouble);
  value.consequences = strings_from(message.consequences());
  value.stack = message.stack();
  value.group = message.group();
  return value;
}

void fill_origin(wire::JobView& message, const JobView& value) {
  message.set_id(value.id.text());
  message.set_name(wire_text(value.name));
  message.set_framework(wire_text(value.framework));
  message.set_backend(wire_text(value.backend));
  message.set_workdir(value.workdir);
  message.set_origin(value.origin);
  message.set_manifest(value.manifest);
  message.set_code_commit(value.code_commit);
  message.set_spec_json(wire_text(value.spec_json));
  for (const auto& [name, text] : value.labels) (*message.mutable_labels())[wire_text(name)] = wire_text(text);
}

void fill_state(wire::JobView& message, const JobView& value) {
  message.set_state(wire_text(value.state));
  message.set_done(value.done);
  message.set_sentence(wire_text(value.sentence));
  message.set_waits_for(wire_text(value.waits_for));
  message.set_attempt(value.attempt);
  message.set_restarts(value.restarts);
  message.set_restart_limit(value.restart_limit);
  message.set_nodes(value.nodes);
  message.set_submitted_nanos(to_unix_nanos(value.submitted));
  message.set_started_nanos(to_unix_nanos(value.started));
  message.set_ended_nanos(to_unix_nanos(value.ended));
  message.set_exit_code(value.exit_code);
  message.set_propagated_code(value.propagated_code);
}

void read_origin(JobView& value, const wire::JobView& message, Status& trouble) {
  value.id = job_id_from(message.id(), trouble);
  value.name = message.name();
  value.framework = message.framework();
  value.backend = message.backend();
  value.workdir = message.workdir();
  value.origin = message.origin();
  value.manifest = message.manifest();
  value.code_commit = message.code_commit();
  value.spec_json = message.spec_json();
  value.labels = {message.labels().begin(), message.labels().end()};
}

void read_state(JobView& value, const wire::JobView& message) {
  value.state = message.state();
  value.done = message.done();
  value.sentence = message.sentence();
  value.waits_for = message.waits_for();
  value.attempt = message.attempt();
  value.restarts = message.restarts();
  value.restart_limit = message.restart_limit();
  value.nodes = message.nodes();
  value.submitted = time_from(message.submitted_nanos());
  value.started = time_from(message.started_nanos());
  value.ended = time_from(message.ended_nanos());
  value.exit_code = message.exit_code();
  value.propagated_code = message.propagated_code();
}

}  // namespace

wire::JobView to_wire(const JobView& value) {
  wire::JobView message;
  fill_origin(message, value);
  fill_state(message, value);
  for (const RankView& rank : value.ranks) *message.add_ranks() = wire_rank(rank);
  for (const AttemptView& attempt : value.attempts) *message.add_attempts() = wire_attempt(attempt);
  for (const std::string& trouble : value.troubles) message.add_troubles(trouble);
  if (value.progress) *message.mutable_progress() = wire_progress(*value.progress);
  message.set_hang(value.hang);
  message.set_held_by(value.held_by);
  message.set_priority(value.priority);
  message.set_queue_place(value.queue_place);
  message.set_hang_stack(value.hang_stack);
  for (const std::string& host : value.asking_hosts) message.add_asking_hosts(host);
  return message;
}

JobView from_wire(const wire::JobView& message, Status& trouble) {
  JobView value;
  read_origin(value, message, trouble);
  read_state(value, message);
  for (const auto& rank : message.ranks()) value.ranks.push_back(rank_from(rank, trouble));
  for (const auto& attempt : message.attempts()) value.attempts.push_back(attempt_from(attempt, trouble));
  value.troubles = {message.troubles().begin(), message.troubles().end()};
  if (message.has_progress()) value.progress = progress_from(message.progress(), trouble);
  value.hang = message.hang();
  value.held_by = message.held_by();
  value.priority = message.priority();
  value.queue_place = message.queue_place();
  value.hang_stack = message.hang_stack();
  value.asking_hosts = {message.asking_hosts().begin(), message.asking_hosts().end()};
  return value;
}

}  // namespace muster
