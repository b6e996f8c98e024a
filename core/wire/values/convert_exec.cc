// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"

namespace muster {
namespace {

constexpr EnumPair<ExecStream, wire::ExecStream> kExecStreams[] = {
    {ExecStream::in, wire::EXEC_STREAM_IN},
    {ExecStream::out, wire::EXEC_STREAM_OUT},
    {ExecStream::err, wire::EXEC_STREAM_ERR},
};

ExecStream stream_from(wire::ExecStream stream, Status& trouble) {
  return domain_of(kExecStreams, stream, "stream of an exec process", trouble);
}

struct ExecFiller {
  wire::ExecFrame& message;

  void operator()(const ExecStart& value) {
    wire::ExecStart& start = *message.mutable_start();
    start.set_job(value.job);
    start.set_index(value.index);
    start.mutable_argv()->Assign(value.argv.begin(), value.argv.end());
    fill(start.mutable_environment(), value.environment);
    start.set_workdir(value.workdir);
    start.set_tty(value.tty);
    start.set_rows(value.rows);
    start.set_columns(value.columns);
    start.set_own_program(value.own_program);
    start.set_whole_node(value.whole_node);
    start.set_attempt(value.attempt);
    start.set_viewer_attempt(value.viewer_attempt);
  }
  void operator()(const ExecBytes& value) {
    message.mutable_bytes()->set_stream(wire_of(kExecStreams, value.stream));
    message.mutable_bytes()->set_bytes(value.bytes);
    message.mutable_bytes()->set_end(value.end);
  }
  void operator()(const ExecTaken& value) {
    message.mutable_taken()->set_stream(wire_of(kExecStreams, value.stream));
    message.mutable_taken()->set_bytes(value.bytes);
  }
  void operator()(const ExecResize& value) {
    message.mutable_resize()->set_rows(value.rows);
    message.mutable_resize()->set_columns(value.columns);
  }
  void operator()(const ExecSignal& value) { message.mutable_signal()->set_number(value.number); }
  void operator()(const ExecLeave& value) { message.mutable_leave()->set_lost(value.lost); }
  void operator()(const ExecEnd& value) {
    message.mutable_end()->set_code(value.code);
    message.mutable_end()->set_why(value.why);
    if (value.exit) *message.mutable_end()->mutable_exit() = to_wire(*value.exit);
  }
};

ExecStart start_from(const wire::ExecStart& message, Status& trouble) {
  ExecStart value;
  value.job = message.job();
  value.index = message.index();
  value.argv = strings_from(message.argv());
  value.environment = map_from(message.environment());
  value.workdir = message.workdir();
  value.tty = message.tty();
  value.rows = short_from(message.rows(), "the number of rows", trouble);
  value.columns = short_from(message.columns(), "the number of columns", trouble);
  value.own_program = message.own_program();
  value.whole_node = message.whole_node();
  value.attempt = message.attempt();
  value.viewer_attempt = message.viewer_attempt();
  return value;
}

ExecEnd end_from(const wire::ExecEnd& message, Status& trouble) {
  ExecEnd value;
  if (message.has_exit()) value.exit = from_wire(message.exit(), trouble);
  value.code = message.code();
  value.why = message.why();
  return value;
}

ExecResize resize_from(const wire::ExecResize& message, Status& trouble) {
  return {short_from(message.rows(), "the number of rows", trouble),
          short_from(message.columns(), "the number of columns", trouble)};
}

}  // namespace

wire::ExecFrame to_wire(const ExecFrame& value) {
  wire::ExecFrame message;
  message.set_id(value.id);
  std::visit(ExecFiller{message}, value.part);
  return message;
}

ExecFrame from_wire(const wire::ExecFrame& message, Status& trouble) {
  const uint64_t id = message.id();
  switch (message.part_case()) {
    case wire::ExecFrame::kStart: return {id, start_from(message.start(), trouble)};
    case wire::ExecFrame::kBytes:
      return {id, ExecBytes{stream_from(message.bytes().stream(), trouble), message.bytes().bytes(),
                            message.bytes().end()}};
    case wire::ExecFrame::kTaken:
      return {id, ExecTaken{stream_from(message.taken().stream(), trouble), message.taken().bytes()}};
    case wire::ExecFrame::kResize: return {id, resize_from(message.resize(), trouble)};
    case wire::ExecFrame::kSignal: return {id, ExecSignal{message.signal().number()}};
    case wire::ExecFrame::kLeave: return {id, ExecLeave{message.leave().lost()}};
    case wire::ExecFrame::kEnd: return {id, end_from(message.end(), trouble)};
    case wire::ExecFrame::PART_NOT_SET: break;
  }
  note(trouble, Code::unimplemented, "unknown kind of exec frame");
  return {};
}

}  // namespace muster
