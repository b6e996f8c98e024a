// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"

namespace muster {
namespace {

constexpr EnumPair<ContainerProgram, wire::ContainerProgram> kContainerPrograms[] = {
    {ContainerProgram::automatic, wire::CONTAINER_PROGRAM_AUTO},
    {ContainerProgram::podman, wire::CONTAINER_PROGRAM_PODMAN},
    {ContainerProgram::docker, wire::CONTAINER_PROGRAM_DOCKER},
    {ContainerProgram::apptainer, wire::CONTAINER_PROGRAM_APPTAINER},
    {ContainerProgram::enroot, wire::CONTAINER_PROGRAM_ENROOT}};

wire::ContainerTask wire_container(const ContainerTask& value) {
  wire::ContainerTask message;
  message.set_image(value.image);
  message.set_program(wire_of(kContainerPrograms, value.program));
  message.set_gpus(value.gpus);
  for (const ContainerMount& mount : value.mounts) {
    wire::ContainerMount& each = *message.add_mounts();
    each.set_source(mount.source);
    each.set_target(mount.target);
    each.set_read_only(mount.read_only);
  }
  for (const auto& [path, text] : value.files) {
    wire::ContainerFile& each = *message.add_files();
    each.set_path(path);
    each.set_text(text);
  }
  return message;
}

ContainerTask container_from(const wire::ContainerTask& message, Status& trouble) {
  ContainerTask value;
  value.image = message.image();
  value.program = domain_of(kContainerPrograms, message.program(), "container program", trouble);
  value.gpus = message.gpus();
  for (const wire::ContainerMount& mount : message.mounts())
    value.mounts.push_back({mount.source(), mount.target(), mount.read_only()});
  for (const wire::ContainerFile& file : message.files()) value.files[file.path()] = file.text();
  return value;
}

wire::SetupTask wire_setup(const SetupTask& value) {
  wire::SetupTask message;
  for (const auto& command : value.commands)
    message.add_commands()->mutable_argv()->Assign(command.begin(), command.end());
  fill(message.mutable_environment(), value.environment);
  message.set_identity(value.identity);
  message.set_venv(value.venv);
  message.set_attempt(value.attempt);
  message.set_index(value.index);
  message.set_output_path(value.output_path);
  message.set_host(value.host);
  message.mutable_gpus()->Assign(value.gpus.begin(), value.gpus.end());
  if (value.container) *message.mutable_container() = wire_container(*value.container);
  return message;
}

SetupTask setup_from(const wire::SetupTask& message, Status& trouble) {
  SetupTask value;
  for (const wire::SetupCommand& command : message.commands())
    value.commands.emplace_back(command.argv().begin(), command.argv().end());
  value.environment = map_from(message.environment());
  value.identity = message.identity();
  value.venv = message.venv();
  value.attempt = message.attempt();
  value.index = message.index();
  value.output_path = message.output_path();
  value.host = message.host();
  value.gpus.assign(message.gpus().begin(), message.gpus().end());
  if (message.has_container()) value.container = container_from(message.container(), trouble);
  return value;
}

wire::Bind wire_bind(const Bind& value) {
  wire::Bind message;
  message.set_job(value.job.text());
  message.set_job_name(value.job_name);
  message.set_node(value.node);
  fill(message.mutable_environment(), value.environment);
  *message.mutable_settings() = wire_settings(value.settings);
  *message.mutable_streams() = wire_streams(value.streams);
  message.set_workdir(value.workdir);
  message.set_linger(value.linger);
  message.set_log_max_bytes(value.log_max_bytes);
  message.set_lease_nanos(value.lease.count());
  message.set_lease_grace_nanos(value.lease_grace.count());
  message.set_stop_grace_nanos(value.stop_grace.count());
  message.set_stops_leftovers(value.leftovers.action == LeftoverAction::stop);
  message.set_leftover_grace_nanos(value.leftovers.grace.count());
  message.set_store_address(value.store_address);
  message.set_address(value.address);
  message.set_own_environment(value.own_environment);
  message.set_sends_output(value.sends_output);
  if (value.setup) *message.mutable_setup() = wire_setup(*value.setup);
  for (const auto& [owner, count] : value.ports) {
    wire::PortNeed& need = *message.add_ports();
    need.set_owner(owner);
    need.set_count(count);
  }
  return message;
}

Bind bind_from(const wire::Bind& message, Status& trouble) {
  Bind value;
  value.job = job_id_from(message.job(), trouble);
  value.job_name = message.job_name();
  value.node = message.node();
  value.environment = map_from(message.environment());
  value.settings = settings_from(message.settings());
  value.streams = streams_from(message.streams());
  value.workdir = message.workdir();
  value.linger = message.linger();
  value.log_max_bytes = message.log_max_bytes();
  value.lease = Duration(message.lease_nanos());
  value.lease_grace = Duration(message.lease_grace_nanos());
  value.stop_grace = Duration(message.stop_grace_nanos());
  value.leftovers.action = message.stops_leftovers() ? LeftoverAction::stop : LeftoverAction::wait;
  value.leftovers.grace = Duration(message.leftover_grace_nanos());
  value.store_address = message.store_address();
  value.address = message.address();
  value.own_environment = message.own_environment();
  value.sends_output = message.sends_output();
  if (message.has_setup()) value.setup = setup_from(message.setup(), trouble);
  for (const wire::PortNeed& need : message.ports()) value.ports[need.owner()] = need.count();
  return value;
}

wire::RankTask wire_task(const RankTask& value) {
  wire::RankTask message;
  message.set_index(value.index);
  message.mutable_argv()->Assign(value.argv.begin(), value.argv.end());
  fill(message.mutable_environment(), value.environment);
  message.mutable_cpus()->Assign(value.cpus.begin(), value.cpus.end());
  message.mutable_gpus()->Assign(value.gpus.begin(), value.gpus.end());
  message.set_memory_limit_bytes(value.memory_limit_bytes);
  message.set_stdout_path(value.stdout_path);
  message.set_stderr_path(value.stderr_path);
  message.set_tty(value.tty);
  message.set_shares_cpus(value.shares_cpus);
  message.mutable_gaps()->Assign(value.gaps.begin(), value.gaps.end());
  message.mutable_rank_only()->Assign(value.rank_only.begin(), value.rank_only.end());
  return message;
}

RankTask task_from(const wire::RankTask& message) {
  RankTask value;
  value.index = message.index();
  value.argv = strings_from(message.argv());
  value.environment = map_from(message.environment());
  value.cpus = {message.cpus().begin(), message.cpus().end()};
  value.gpus = strings_from(message.gpus());
  value.memory_limit_bytes = message.memory_limit_bytes();
  value.stdout_path = message.stdout_path();
  value.stderr_path = message.stderr_path();
  value.tty = message.tty();
  value.shares_cpus = message.shares_cpus();
  value.gaps = strings_from(message.gaps());
  value.rank_only = strings_from(message.rank_only());
  return value;
}

wire::RendezvousMember wire_member(const RendezvousMember& value) {
  wire::RendezvousMember message;
  message.set_world(value.world);
  message.set_rank(value.rank);
  message.set_name(value.name);
  return message;
}

void fill_endpoint(wire::StoreEndpoint& message, const Endpoint& value) {
  message.set_address(value.address);
  message.set_port(value.port);
}

Endpoint endpoint_from(const wire::StoreEndpoint& message, Status& trouble) {
  return {message.address(), short_from(message.port(), "the port of a service", trouble)};
}

void fill_store(wire::StoreTask& message, const StoreTask& value) {
  fill_endpoint(*message.mutable_here(), value.here);
  if (value.there) fill_endpoint(*message.mutable_there(), *value.there);
  message.mutable_peers()->Assign(value.peers.begin(), value.peers.end());
  message.set_clients(value.clients);
}

StoreTask store_from(const wire::StoreTask& message, Status& trouble) {
  StoreTask value{endpoint_from(message.here(), trouble), std::nullopt, strings_from(message.peers()),
                  message.clients()};
  if (message.has_there()) value.there = endpoint_from(message.there(), trouble);
  return value;
}

void fill_warm(wire::WarmTask& message, const WarmTask& value) {
  message.mutable_modules()->Assign(value.modules.begin(), value.modules.end());
  message.set_automatic(value.automatic);
  message.set_always(value.always);
  message.mutable_place()->Assign(value.place.begin(), value.place.end());
}

WarmTask warm_from(const wire::WarmTask& message) {
  return {strings_from(message.modules()),
          message.automatic(),
          message.always(),
          {message.place().begin(), message.place().end()}};
}

void fill_mpi(wire::MpiTask& message, const MpiTask& value) {
  message.set_name_space(value.name_space);
  for (const MpiNode& node : value.nodes) {
    wire::MpiNode& added = *message.add_nodes();
    added.set_name(node.name);
    added.mutable_ranks()->Assign(node.ranks.begin(), node.ranks.end());
    added.mutable_apps()->Assign(node.apps.begin(), node.apps.end());
  }
  message.set_node(value.node);
  message.mutable_indices()->Assign(value.indices.begin(), value.indices.end());
}

MpiTask mpi_from(const wire::MpiTask& message) {
  MpiTask value{message.name_space(), {}, message.node(), {message.indices().begin(), message.indices().end()}};
  for (const wire::MpiNode& node : message.nodes())
    value.nodes.push_back(
        {node.name(), {node.ranks().begin(), node.ranks().end()}, {node.apps().begin(), node.apps().end()}});
  return value;
}

void fill_program(wire::ServiceProgram& message, const ServiceProgram& value) {
  message.set_name(value.name);
  message.set_python(value.python);
  message.mutable_argv()->Assign(value.argv.begin(), value.argv.end());
  fill_endpoint(*message.mutable_here(), value.here);
  message.set_elsewhere(value.elsewhere);
}

ServiceProgram program_from(const wire::ServiceProgram& message, Status& trouble) {
  return {message.name(), message.python(), strings_from(message.argv()), endpoint_from(message.here(), trouble),
          message.elsewhere()};
}

wire::DesiredState wire_state(const DesiredState& value) {
  wire::DesiredState message;
  message.set_attempt(value.attempt);
  message.set_run(value.run);
  message.set_grace_nanos(value.grace.count());
  message.set_signal(value.signal);
  for (const RankTask& task : value.tasks) *message.add_tasks() = wire_task(task);
  for (const RendezvousMember& member : value.members) *message.add_members() = wire_member(member);
  message.set_why(value.why);
  message.set_broken(value.broken);
  message.set_again(value.again);
  if (value.store) fill_store(*message.mutable_store(), *value.store);
  if (value.warm) fill_warm(*message.mutable_warm(), *value.warm);
  if (value.mpi) fill_mpi(*message.mutable_mpi(), *value.mpi);
  if (!value.files.empty()) fill(message.mutable_files(), value.files);
  if (value.program) fill_program(*message.mutable_program(), *value.program);
  message.set_snapshot(value.snapshot);
  message.set_kept(value.kept);
  message.set_heard(value.heard);
  message.set_examine(value.examine);
  message.set_measure(value.measure);
  message.set_look_every_nanos(value.look_every.count());
  return message;
}

DesiredState desired_state_from(const wire::DesiredState& message, Status& trouble) {
  DesiredState value;
  value.attempt = message.attempt();
  value.run = message.run();
  value.grace = Duration(message.grace_nanos());
  if (message.signal() != 0) value.signal = message.signal();
  for (const wire::RankTask& task : message.tasks()) value.tasks.push_back(task_from(task));
  for (const wire::RendezvousMember& member : message.members())
    value.members.push_back({member.world(), member.rank(), member.name()});
  value.why = message.why();
  value.broken = message.broken();
  value.again = message.again();
  if (message.has_store()) value.store = store_from(message.store(), trouble);
  if (message.has_warm()) value.warm = warm_from(message.warm());
  if (message.has_mpi()) value.mpi = mpi_from(message.mpi());
  value.files = map_from(message.files());
  if (message.has_program()) value.program = program_from(message.program(), trouble);
  value.snapshot = message.snapshot();
  value.kept = message.kept();
  value.heard = message.heard();
  value.examine = message.examine();
  value.measure = message.measure();
  value.look_every = Duration(message.look_every_nanos());
  return value;
}

wire::TtyInput wire_input(const TtyInput& value) {
  wire::TtyInput message;
  message.set_index(value.index);
  message.set_bytes(value.bytes);
  message.set_rows(value.rows);
  message.set_columns(value.columns);
  return message;
}

TtyInput input_from(const wire::TtyInput& message, Status& trouble) {
  TtyInput value;
  value.index = message.index();
  value.bytes = message.bytes();
  value.rows = short_from(message.rows(), "the number of rows", trouble);
  value.columns = short_from(message.columns(), "the number of columns", trouble);
  return value;
}

OutputTaken taken_from(const wire::OutputTaken& message) {
  return {from_wire(message.file()), message.size(), message.again()};
}

struct CoordinatorFiller {
  wire::ToAgent& message;
  void operator()(const Bind& value) { *message.mutable_bind() = wire_bind(value); }
  void operator()(const DesiredState& value) { *message.mutable_desired() = wire_state(value); }
  void operator()(const TtyInput& value) { *message.mutable_tty_input() = wire_input(value); }
  void operator()(const RendezvousReply& value) { *message.mutable_rendezvous() = to_wire(value); }
  void operator()(const Dismiss& value) {
    message.mutable_dismiss()->set_why(value.why);
    message.mutable_dismiss()->set_keep(value.keep);
    message.mutable_dismiss()->set_succeeded(value.succeeded);
  }
  void operator()(const JournalCopy& value) {
    message.mutable_journal()->mutable_lines()->Assign(value.lines.begin(), value.lines.end());
  }
  void operator()(const ExecFrame& value) { *message.mutable_exec() = to_wire(value); }
  void operator()(const OutputTaken& value) {
    *message.mutable_output_taken()->mutable_file() = to_wire(value.file);
    message.mutable_output_taken()->set_size(value.size);
    message.mutable_output_taken()->set_again(value.again);
  }
  void operator()(const PeerExec& value) { *message.mutable_peer_exec() = to_wire(value.frame); }
};

}  // namespace

wire::ToAgent to_wire(const CoordinatorMessage& value) {
  wire::ToAgent message;
  std::visit(CoordinatorFiller{message}, value);
  return message;
}

CoordinatorMessage from_wire(const wire::ToAgent& message, Status& trouble) {
  switch (message.message_case()) {
    case wire::ToAgent::kBind: return bind_from(message.bind(), trouble);
    case wire::ToAgent::kDesired: return desired_state_from(message.desired(), trouble);
    case wire::ToAgent::kTtyInput: return input_from(message.tty_input(), trouble);
    case wire::ToAgent::kRendezvous: return from_wire(message.rendezvous(), trouble);
    case wire::ToAgent::kDismiss:
      return Dismiss{message.dismiss().why(), message.dismiss().keep(), message.dismiss().succeeded()};
    case wire::ToAgent::kExec: return from_wire(message.exec(), trouble);
    case wire::ToAgent::kOutputTaken: return taken_from(message.output_taken());
    case wire::ToAgent::kPeerExec: return PeerExec{from_wire(message.peer_exec(), trouble)};
    case wire::ToAgent::kJournal: return JournalCopy{strings_from(message.journal().lines())};
    case wire::ToAgent::MESSAGE_NOT_SET: break;
  }
  note(trouble, Code::unimplemented, "unknown kind of message");
  return DesiredState();
}

}  // namespace muster
