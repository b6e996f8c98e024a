// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"
#include "core/wire/values/wire_text.h"

namespace muster {
namespace {

constexpr EnumPair<ExitStatus::Kind, wire::ExitKind> kExitKinds[] = {
    {ExitStatus::Kind::exited, wire::EXIT_KIND_EXITED},
    {ExitStatus::Kind::signalled, wire::EXIT_KIND_SIGNALLED},
    {ExitStatus::Kind::not_started, wire::EXIT_KIND_NOT_STARTED},
};
constexpr EnumPair<RankFinding::Kind, wire::RankFindingKind> kFindings[] = {
    {RankFinding::Kind::stopped, wire::RANK_FINDING_KIND_STOPPED},
    {RankFinding::Kind::in_io, wire::RANK_FINDING_KIND_IN_IO},
    {RankFinding::Kind::stuck, wire::RANK_FINDING_KIND_STUCK},
};

}  // namespace

void note(Status& trouble, Code code, const std::string& sentence) {
  if (trouble.ok()) trouble = Status(code, sentence);
}

JobId job_id_from(const std::string& text, Status& trouble) {
  if (text.empty()) return JobId();
  const Result<JobId> id = JobId::parse(text);
  if (id.ok()) return *id;
  note(trouble, Code::invalid_argument, id.status().message());
  return JobId();
}

uint16_t short_from(uint32_t number, const char* what, Status& trouble) {
  if (number <= UINT16_MAX) return static_cast<uint16_t>(number);
  note(trouble, Code::invalid_argument, std::string(what) + " " + std::to_string(number) + " is above 65535");
  return 0;
}

void fill(Variables* out, const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) {
    wire::Variable* variable = out->Add();
    variable->set_name(name);
    variable->set_value(value);
  }
}

std::map<std::string, std::string> map_from(const Variables& variables) {
  std::map<std::string, std::string> out;
  for (const wire::Variable& variable : variables) out[variable.name()] = variable.value();
  return out;
}

std::vector<std::string> strings_from(const Texts& texts) { return {texts.begin(), texts.end()}; }

wire::ProcessSettings wire_settings(const ProcessSettings& value) {
  wire::ProcessSettings message;
  if (value.umask) message.set_umask(*value.umask);
  message.mutable_soft_limits()->insert(value.soft_limits.begin(), value.soft_limits.end());
  message.mutable_cpus()->Assign(value.cpus.begin(), value.cpus.end());
  if (value.nice) message.set_nice(*value.nice);
  message.mutable_ignored_signals()->Assign(value.ignored_signals.begin(), value.ignored_signals.end());
  return message;
}

ProcessSettings settings_from(const wire::ProcessSettings& message) {
  ProcessSettings value;
  if (message.has_umask()) value.umask = message.umask();
  value.soft_limits = {message.soft_limits().begin(), message.soft_limits().end()};
  value.cpus = {message.cpus().begin(), message.cpus().end()};
  if (message.has_nice()) value.nice = message.nice();
  value.ignored_signals = {message.ignored_signals().begin(), message.ignored_signals().end()};
  return value;
}

wire::CallerStreams wire_streams(const CallerStreams& value) {
  wire::CallerStreams message;
  if (value.window) {
    message.mutable_window()->set_rows(value.window->rows);
    message.mutable_window()->set_columns(value.window->columns);
    message.mutable_window()->set_keys(value.window->keys);
  }
  if (!value.input) return message;
  message.mutable_input()->set_pid(value.input->pid);
  message.mutable_input()->set_start_ticks(value.input->start_ticks);
  message.mutable_input()->set_fd(value.input->descriptor);
  if (value.input->rank) message.mutable_input()->set_rank(*value.input->rank);
  return message;
}

CallerStreams streams_from(const wire::CallerStreams& message) {
  CallerStreams value;
  if (message.has_window()) {
    value.window = CallerWindow{static_cast<uint16_t>(message.window().rows()),
                                static_cast<uint16_t>(message.window().columns()), message.window().keys()};
  }
  if (!message.has_input()) return value;
  const wire::CallerInput& input = message.input();
  value.input = CallerInput{input.pid(), input.start_ticks(), input.fd(), std::nullopt};
  if (input.has_rank()) value.input->rank = input.rank();
  return value;
}

wire::Status to_wire(const Status& value) {
  wire::Status message;
  message.set_code(static_cast<int>(value.code()));
  message.set_message(wire_text(value.message()));
  return message;
}

Status from_wire(const wire::Status& message, Status& trouble) {
  if (message.code() >= 0 && message.code() <= static_cast<int>(Code::unauthenticated)) {
    return Status(static_cast<Code>(message.code()), message.message());
  }
  note(trouble, Code::invalid_argument, "unknown status code " + std::to_string(message.code()));
  return Status(Code::unknown, message.message());
}

wire::ExitStatus to_wire(const ExitStatus& value) {
  wire::ExitStatus message;
  message.set_kind(wire_of(kExitKinds, value.kind));
  message.set_code(value.code);
  message.set_signal(value.signal);
  message.set_oom(value.oom);
  message.set_core_dumped(value.core_dumped);
  message.set_detail(value.detail);
  message.set_asked(value.asked);
  message.set_peak_bytes(value.peak_bytes);
  message.set_core_file(value.core_file);
  message.set_trace(value.trace);
  message.set_service_failed(value.service_failed);
  return message;
}

ExitStatus from_wire(const wire::ExitStatus& message, Status& trouble) {
  ExitStatus value;
  value.kind = domain_of(kExitKinds, message.kind(), "way to exit", trouble);
  value.code = message.code();
  value.signal = message.signal();
  value.oom = message.oom();
  value.core_dumped = message.core_dumped();
  value.detail = message.detail();
  value.asked = message.asked();
  value.peak_bytes = message.peak_bytes();
  value.core_file = message.core_file();
  value.trace = message.trace();
  value.service_failed = message.service_failed();
  return value;
}

wire::Progress to_wire(const Progress& value) {
  wire::Progress message;
  message.set_step(value.step);
  message.set_total(value.total);
  for (const auto& [name, metric] : value.metrics) (*message.mutable_metrics())[wire_text(name)] = metric;
  return message;
}

Progress from_wire(const wire::Progress& message, Status&) {
  Progress value{message.step(), message.total(), {}};
  value.metrics = {message.metrics().begin(), message.metrics().end()};
  return value;
}

wire::RankFinding to_wire(const RankFinding& value) {
  wire::RankFinding message;
  message.set_kind(wire_of(kFindings, value.kind));
  message.set_since_nanos(to_unix_nanos(value.since));
  return message;
}

RankFinding from_wire(const wire::RankFinding& message, Status& trouble) {
  return {domain_of(kFindings, message.kind(), "kind of finding", trouble), time_from(message.since_nanos())};
}

namespace {

wire::CollectiveProgress wire_stand(const CollectiveProgress& value) {
  wire::CollectiveProgress message;
  message.set_group(value.group);
  message.set_name(value.name);
  message.set_shape(value.shape);
  message.set_sequence(value.sequence);
  message.set_waits(value.waits);
  return message;
}

CollectiveProgress stand_from(const wire::CollectiveProgress& message) {
  return {message.group(), message.name(), message.shape(), message.sequence(), message.waits()};
}

}  // namespace

wire::RankLocation to_wire(const RankLocation& value) {
  wire::RankLocation message;
  message.set_place(value.place);
  message.set_stack(value.stack);
  for (const CollectiveProgress& stand : value.collectives) *message.add_collectives() = wire_stand(stand);
  for (const std::string& sentence : value.network) message.add_network(sentence);
  message.set_complete(value.complete);
  message.set_exception(value.exception);
  return message;
}

RankLocation from_wire(const wire::RankLocation& message) {
  RankLocation value{message.place(), message.stack()};
  for (const wire::CollectiveProgress& stand : message.collectives()) value.collectives.push_back(stand_from(stand));
  value.network = {message.network().begin(), message.network().end()};
  value.complete = message.complete();
  value.exception = message.exception();
  return value;
}

wire::RankUse to_wire(const RankUse& value) {
  wire::RankUse message;
  message.set_cpu_permille(value.cpu_permille);
  message.set_memory_bytes(value.memory_bytes);
  return message;
}

RankUse from_wire(const wire::RankUse& message) { return {message.cpu_permille(), message.memory_bytes()}; }

wire::OutputFile to_wire(const OutputFile& value) {
  wire::OutputFile message;
  message.set_attempt(value.attempt);
  message.set_index(value.index);
  message.set_err(value.stream == OutputStream::err);
  message.set_setup(value.stream == OutputStream::setup);
  message.set_order(value.stream == OutputStream::order);
  return message;
}

OutputFile from_wire(const wire::OutputFile& message) {
  const OutputStream printed = message.err() ? OutputStream::err : OutputStream::out;
  const OutputStream stream = message.setup() ? OutputStream::setup : printed;
  return {message.attempt(), message.index(), message.order() ? OutputStream::order : stream};
}

}  // namespace muster
