// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"

namespace muster {
namespace {

constexpr EnumPair<RankPhase, wire::RankPhase> kPhases[] = {
    {RankPhase::starting, wire::RANK_PHASE_STARTING},
    {RankPhase::running, wire::RANK_PHASE_RUNNING},
    {RankPhase::stopping, wire::RANK_PHASE_STOPPING},
    {RankPhase::exited, wire::RANK_PHASE_EXITED},
};

wire::RankReport wire_rank(const RankReport& value) {
  wire::RankReport message;
  message.set_index(value.index);
  message.set_phase(wire_of(kPhases, value.phase));
  *message.mutable_exit() = to_wire(value.exit);
  message.set_pid(value.pid);
  message.set_started_nanos(to_unix_nanos(value.started));
  message.set_ended_nanos(to_unix_nanos(value.ended));
  message.set_dropped_bytes(value.dropped_bytes);
  if (value.progress) *message.mutable_progress() = to_wire(*value.progress);
  if (value.finding) *message.mutable_finding() = to_wire(*value.finding);
  message.set_silent_nanos(value.silent.count());
  message.set_still_nanos(value.still.count());
  if (value.standing) *message.mutable_standing() = to_wire(*value.standing);
  if (value.use) *message.mutable_use() = to_wire(*value.use);
  return message;
}

RankReport rank_from(const wire::RankReport& message, Status& trouble) {
  RankReport value;
  value.index = message.index();
  value.phase = domain_of(kPhases, message.phase(), "phase of a rank", trouble);
  if (message.has_exit()) value.exit = from_wire(message.exit(), trouble);
  value.pid = message.pid();
  value.started = time_from(message.started_nanos());
  value.ended = time_from(message.ended_nanos());
  value.dropped_bytes = message.dropped_bytes();
  if (message.has_progress()) value.progress = from_wire(message.progress(), trouble);
  if (message.has_finding()) value.finding = from_wire(message.finding(), trouble);
  value.silent = Duration(message.silent_nanos());
  value.still = Duration(message.still_nanos());
  if (message.has_standing()) value.standing = from_wire(message.standing());
  if (message.has_use()) value.use = from_wire(message.use());
  return value;
}

constexpr EnumPair<SetupPhase, wire::SetupPhase> kSetupPhases[] = {
    {SetupPhase::none, wire::SETUP_PHASE_UNSPECIFIED}, {SetupPhase::running, wire::SETUP_PHASE_RUNNING},
    {SetupPhase::done, wire::SETUP_PHASE_DONE},        {SetupPhase::failed, wire::SETUP_PHASE_FAILED},
    {SetupPhase::devices, wire::SETUP_PHASE_DEVICES},
};

wire::SetupReport wire_setup(const SetupReport& value) {
  wire::SetupReport message;
  message.set_phase(wire_of(kSetupPhases, value.phase));
  message.set_doing(value.doing);
  message.set_failure(value.failure);
  return message;
}

SetupReport setup_from(const wire::SetupReport& message, Status& trouble) {
  return {domain_of(kSetupPhases, message.phase(), "phase of a setup", trouble), message.doing(), message.failure()};
}

wire::Report wire_report(const Report& value) {
  wire::Report message;
  message.set_attempt(value.attempt);
  message.set_quiet(value.quiet);
  message.set_meeting_port(value.meeting_port);
  for (const auto& [owner, ports] : value.ports) {
    wire::OwnedPorts& owned = *message.add_ports();
    owned.set_owner(owner);
    owned.mutable_ports()->Assign(ports.begin(), ports.end());
  }
  for (const RankReport& rank : value.ranks) *message.add_ranks() = wire_rank(rank);
  message.set_trouble(value.trouble);
  message.set_taken(value.taken);
  message.set_service_failure(value.service_failure);
  message.set_beat(value.beat);
  message.set_waits(value.waits);
  message.set_waited_nanos(value.waited.count());
  message.set_met_nanos(to_unix_nanos(value.met));
  message.set_importing_nanos(to_unix_nanos(value.importing));
  message.set_output_left(value.output_left);
  message.set_output_attempt(value.output_attempt);
  if (value.setup != SetupReport()) *message.mutable_setup() = wire_setup(value.setup);
  return message;
}

Report report_from(const wire::Report& message, Status& trouble) {
  Report value;
  value.attempt = message.attempt();
  value.quiet = message.quiet();
  value.meeting_port = short_from(message.meeting_port(), "the port", trouble);
  for (const wire::OwnedPorts& owned : message.ports()) {
    std::vector<uint16_t>& ports = value.ports[owned.owner()];
    for (const uint32_t port : owned.ports()) ports.push_back(short_from(port, "a port", trouble));
  }
  for (const wire::RankReport& rank : message.ranks()) value.ranks.push_back(rank_from(rank, trouble));
  value.trouble = message.trouble();
  value.taken = message.taken();
  value.service_failure = message.service_failure();
  value.beat = message.beat();
  value.waits = message.waits();
  value.waited = Duration(message.waited_nanos());
  value.met = time_from(message.met_nanos());
  value.importing = time_from(message.importing_nanos());
  value.output_left = message.output_left();
  value.output_attempt = message.output_attempt();
  if (message.has_setup()) value.setup = setup_from(message.setup(), trouble);
  return value;
}

wire::ProcessIdentity wire_identity(const ProcessIdentity& value) {
  wire::ProcessIdentity message;
  message.set_pid(value.pid);
  message.set_start_ticks(value.start_ticks);
  return message;
}

ProcessIdentity identity_from(const wire::ProcessIdentity& message) { return {message.pid(), message.start_ticks()}; }

wire::HostOffer wire_offer(const HostOffer& value) {
  wire::HostOffer message;
  message.set_run(value.run);
  message.set_least_nodes(value.least_nodes);
  message.set_most_nodes(value.most_nodes);
  if (value.node_rank) message.set_node_rank(*value.node_rank);
  message.set_ranks(value.ranks);
  message.set_dialled(value.dialled);
  message.set_address(value.address);
  message.set_lines(value.lines);
  message.set_role(value.role);
  return message;
}

HostOffer offer_from(const wire::HostOffer& message) {
  HostOffer value;
  value.run = message.run();
  value.least_nodes = message.least_nodes();
  value.most_nodes = message.most_nodes();
  if (message.has_node_rank()) value.node_rank = message.node_rank();
  value.ranks = message.ranks();
  value.dialled = message.dialled();
  value.address = message.address();
  value.lines = message.lines();
  value.role = message.role();
  return value;
}

wire::PodSelf wire_pod(const PodSelf& value) {
  wire::PodSelf message;
  message.set_group(value.group);
  message.set_index(value.index);
  message.set_uid(value.uid);
  message.set_name(value.name);
  message.set_address(value.address);
  message.set_machine(value.machine);
  message.set_verdict(value.verdict);
  return message;
}

PodSelf pod_from(const wire::PodSelf& message) {
  return {message.group(),   message.index(),   message.uid(),    message.name(),
          message.address(), message.machine(), message.verdict()};
}

wire::Leave wire_leave(const Leave& value) {
  wire::Leave message;
  message.set_why(value.why);
  message.set_stop_job(value.stop_job);
  message.set_signal(value.signal);
  message.set_grace_nanos(value.grace.count());
  return message;
}

Leave leave_from(const wire::Leave& message) {
  Leave value{message.why(), message.stop_job(), SIGTERM, Duration(message.grace_nanos())};
  if (message.signal() != 0) value.signal = message.signal();
  return value;
}

wire::Hello wire_hello(const Hello& value) {
  wire::Hello message;
  message.set_protocol(value.protocol);
  message.set_binary_hash(value.binary_hash);
  message.set_incarnation(value.incarnation);
  *message.mutable_guardian() = wire_identity(value.guardian);
  *message.mutable_process() = wire_identity(value.process);
  message.set_host(value.host);
  message.set_job(value.job.text());
  message.set_node(value.node);
  *message.mutable_report() = wire_report(value.report);
  message.set_snapshot(value.snapshot);
  if (value.offer) *message.mutable_offer() = wire_offer(*value.offer);
  message.set_returned(value.returned);
  message.set_warm(value.warm);
  if (value.pod) *message.mutable_pod() = wire_pod(*value.pod);
  return message;
}

Hello hello_from(const wire::Hello& message, Status& trouble) {
  Hello value;
  value.protocol = message.protocol();
  value.binary_hash = message.binary_hash();
  value.incarnation = message.incarnation();
  value.guardian = identity_from(message.guardian());
  value.process = identity_from(message.process());
  value.host = message.host();
  value.job = job_id_from(message.job(), trouble);
  value.node = message.node();
  value.report = report_from(message.report(), trouble);
  value.snapshot = message.snapshot();
  if (message.has_offer()) value.offer = offer_from(message.offer());
  value.returned = message.returned();
  value.warm = message.warm();
  if (message.has_pod()) value.pod = pod_from(message.pod());
  return value;
}

void fill_output(wire::OutputBytes& message, const OutputBytes& value) {
  *message.mutable_file() = to_wire(value.file);
  message.set_offset(value.offset);
  message.set_kept(value.kept);
  message.set_bytes(value.bytes);
}

OutputBytes output_from(const wire::OutputBytes& message) {
  return {from_wire(message.file()), message.offset(), message.kept(), message.bytes()};
}

struct AgentFiller {
  wire::FromAgent& message;
  void operator()(const Hello& value) { *message.mutable_hello() = wire_hello(value); }
  void operator()(const Report& value) { *message.mutable_report() = wire_report(value); }
  void operator()(const RendezvousRequest& value) { *message.mutable_rendezvous() = to_wire(value); }
  void operator()(const Leave& value) { *message.mutable_leave() = wire_leave(value); }
  void operator()(const ExecFrame& value) { *message.mutable_exec() = to_wire(value); }
  void operator()(const OutputBytes& value) { fill_output(*message.mutable_output(), value); }
  void operator()(const PeerExec& value) { *message.mutable_peer_exec() = to_wire(value.frame); }
};

}  // namespace

wire::FromAgent to_wire(const AgentMessage& value) {
  wire::FromAgent message;
  std::visit(AgentFiller{message}, value);
  return message;
}

AgentMessage from_wire(const wire::FromAgent& message, Status& trouble) {
  switch (message.message_case()) {
    case wire::FromAgent::kHello: return hello_from(message.hello(), trouble);
    case wire::FromAgent::kReport: return report_from(message.report(), trouble);
    case wire::FromAgent::kRendezvous: return from_wire(message.rendezvous(), trouble);
    case wire::FromAgent::kLeave: return leave_from(message.leave());
    case wire::FromAgent::kExec: return from_wire(message.exec(), trouble);
    case wire::FromAgent::kOutput: return output_from(message.output());
    case wire::FromAgent::kPeerExec: return PeerExec{from_wire(message.peer_exec(), trouble)};
    case wire::FromAgent::MESSAGE_NOT_SET: break;
  }
  note(trouble, Code::unimplemented, "unknown kind of message");
  return Report();
}

}  // namespace muster
