#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"

namespace muster {
namespace {

constexpr EnumPair<GuestStream, wire::GuestStream> kGuestStreams[] = {
    {GuestStream::in, wire::GUEST_STREAM_IN},
    {GuestStream::out, wire::GUEST_STREAM_OUT},
    {GuestStream::err, wire::GUEST_STREAM_ERR},
};

GuestStream stream_from(wire::GuestStream stream, Status& trouble) {
  return domain_of(kGuestStreams, stream, "stream of a guest", trouble);
}

struct GuestFiller {
  wire::GuestFrame& message;

  void operator()(const GuestStart& value) {
    wire::GuestStart& start = *message.mutable_start();
    start.set_job(value.job);
    start.set_index(value.index);
    start.mutable_argv()->Assign(value.argv.begin(), value.argv.end());
    fill(start.mutable_environment(), value.environment);
    start.set_workdir(value.workdir);
    start.set_tty(value.tty);
    start.set_rows(value.rows);
    start.set_columns(value.columns);
  }
  void operator()(const GuestBytes& value) {
    message.mutable_bytes()->set_stream(wire_of(kGuestStreams, value.stream));
    message.mutable_bytes()->set_bytes(value.bytes);
    message.mutable_bytes()->set_end(value.end);
  }
  void operator()(const GuestTaken& value) {
    message.mutable_taken()->set_stream(wire_of(kGuestStreams, value.stream));
    message.mutable_taken()->set_bytes(value.bytes);
  }
  void operator()(const GuestResize& value) {
    message.mutable_resize()->set_rows(value.rows);
    message.mutable_resize()->set_columns(value.columns);
  }
  void operator()(const GuestSignal& value) { message.mutable_signal()->set_number(value.number); }
  void operator()(const GuestLeave&) { message.mutable_leave(); }
  void operator()(const GuestEnd& value) {
    message.mutable_end()->set_code(value.code);
    message.mutable_end()->set_why(value.why);
    if (value.exit) *message.mutable_end()->mutable_exit() = to_wire(*value.exit);
  }
};

GuestStart start_from(const wire::GuestStart& message, Status& trouble) {
  GuestStart value;
  value.job = message.job();
  value.index = message.index();
  value.argv = strings_from(message.argv());
  value.environment = map_from(message.environment());
  value.workdir = message.workdir();
  value.tty = message.tty();
  value.rows = short_from(message.rows(), "the number of rows", trouble);
  value.columns = short_from(message.columns(), "the number of columns", trouble);
  return value;
}

GuestEnd end_from(const wire::GuestEnd& message, Status& trouble) {
  GuestEnd value;
  if (message.has_exit()) value.exit = from_wire(message.exit(), trouble);
  value.code = message.code();
  value.why = message.why();
  return value;
}

GuestResize resize_from(const wire::GuestResize& message, Status& trouble) {
  return {short_from(message.rows(), "the number of rows", trouble),
          short_from(message.columns(), "the number of columns", trouble)};
}

}  // namespace

wire::GuestFrame to_wire(const GuestFrame& value) {
  wire::GuestFrame message;
  message.set_id(value.id);
  std::visit(GuestFiller{message}, value.part);
  return message;
}

GuestFrame from_wire(const wire::GuestFrame& message, Status& trouble) {
  const uint64_t id = message.id();
  switch (message.part_case()) {
    case wire::GuestFrame::kStart: return {id, start_from(message.start(), trouble)};
    case wire::GuestFrame::kBytes:
      return {id, GuestBytes{stream_from(message.bytes().stream(), trouble), message.bytes().bytes(),
                             message.bytes().end()}};
    case wire::GuestFrame::kTaken:
      return {id, GuestTaken{stream_from(message.taken().stream(), trouble), message.taken().bytes()}};
    case wire::GuestFrame::kResize: return {id, resize_from(message.resize(), trouble)};
    case wire::GuestFrame::kSignal: return {id, GuestSignal{message.signal().number()}};
    case wire::GuestFrame::kLeave: return {id, GuestLeave{}};
    case wire::GuestFrame::kEnd: return {id, end_from(message.end(), trouble)};
    case wire::GuestFrame::PART_NOT_SET: break;
  }
  note(trouble, Code::unimplemented, "a part of a guest of a kind unknown here");
  return {};
}

}  // namespace muster
