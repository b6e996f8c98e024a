// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"
#include "core/wire/values/wire_text.h"

namespace muster {
namespace {

constexpr EnumPair<OutputStream, wire::OutputStream> kStreams[] = {
    {OutputStream::out, wire::OUTPUT_STREAM_OUT},
    {OutputStream::err, wire::OUTPUT_STREAM_ERR},
    {OutputStream::setup, wire::OUTPUT_STREAM_SETUP},
};

wire::OutputPosition wire_position(const OutputPosition& value) {
  wire::OutputPosition message;
  message.set_attempt(value.attempt);
  message.set_index(value.index);
  message.set_stream(wire_of(kStreams, value.stream));
  message.set_offset(value.offset);
  return message;
}

OutputPosition position_from(const wire::OutputPosition& message, Status& trouble) {
  OutputPosition value;
  value.attempt = message.attempt();
  value.index = message.index();
  value.stream = domain_of(kStreams, message.stream(), "output stream", trouble);
  value.offset = message.offset();
  return value;
}

JobEvent event_from(const wire::JobEvent& message) {
  JobEvent value;
  value.sequence = message.sequence();
  value.time = time_from(message.time_nanos());
  value.kind = message.kind();
  value.state = message.state();
  value.attempt = message.attempt();
  value.sentence = message.sentence();
  return value;
}

struct FollowFiller {
  wire::FollowItem& message;

  void operator()(const JobEvent& value) {
    wire::JobEvent& event = *message.mutable_event();
    event.set_sequence(value.sequence);
    event.set_time_nanos(to_unix_nanos(value.time));
    event.set_kind(wire_text(value.kind));
    event.set_state(wire_text(value.state));
    event.set_attempt(value.attempt);
    event.set_sentence(wire_text(value.sentence));
  }
  void operator()(const OutputChunk& value) {
    *message.mutable_output()->mutable_position() = wire_position(value.position);
    message.mutable_output()->set_bytes(value.bytes);
    message.mutable_output()->set_time_nanos(to_unix_nanos(value.time));
  }
  void operator()(const JobView& value) { *message.mutable_view() = to_wire(value); }
  void operator()(const OutputSpan& value) {
    wire::OutputSpan& span = *message.mutable_span();
    *span.mutable_position() = wire_position(value.position);
    span.set_length(value.length);
    span.set_path(value.path);
    span.set_time_nanos(to_unix_nanos(value.time));
  }
};

}  // namespace

wire::FollowRequest to_wire(const FollowRequest& value) {
  wire::FollowRequest message;
  message.set_job(value.job);
  message.set_events(value.events);
  message.set_from_event(value.from_event);
  message.set_output(value.output);
  message.set_follow(value.follow);
  if (value.attempt) message.set_attempt(*value.attempt);
  message.set_first_attempt(value.first_attempt);
  message.mutable_ranks()->Assign(value.ranks.begin(), value.ranks.end());
  if (value.tail_lines) message.set_tail_lines(*value.tail_lines);
  if (value.since) message.set_since_nanos(to_unix_nanos(*value.since));
  for (const OutputPosition& position : value.resume) *message.add_resume() = wire_position(position);
  message.set_in_place(value.in_place);
  message.set_times(value.times);
  return message;
}

FollowRequest from_wire(const wire::FollowRequest& message, Status& trouble) {
  FollowRequest value;
  value.job = message.job();
  value.events = message.events();
  value.from_event = message.from_event();
  value.output = message.output();
  value.follow = message.follow();
  if (message.has_attempt()) value.attempt = message.attempt();
  value.first_attempt = message.first_attempt();
  value.ranks = {message.ranks().begin(), message.ranks().end()};
  if (message.has_tail_lines()) value.tail_lines = message.tail_lines();
  if (message.has_since_nanos()) value.since = time_from(message.since_nanos());
  for (const auto& position : message.resume()) value.resume.push_back(position_from(position, trouble));
  value.in_place = message.in_place();
  value.times = message.times();
  return value;
}

wire::FollowItem to_wire(const FollowItem& value) {
  wire::FollowItem message;
  std::visit(FollowFiller{message}, value.item);
  return message;
}

FollowItem from_wire(const wire::FollowItem& message, Status& trouble) {
  switch (message.item_case()) {
    case wire::FollowItem::kEvent: return {event_from(message.event())};
    case wire::FollowItem::kOutput:
      return {OutputChunk{position_from(message.output().position(), trouble), message.output().bytes(),
                          time_from(message.output().time_nanos())}};
    case wire::FollowItem::kView: return {from_wire(message.view(), trouble)};
    case wire::FollowItem::kSpan:
      return {OutputSpan{position_from(message.span().position(), trouble), message.span().length(),
                         message.span().path(), time_from(message.span().time_nanos())}};
    case wire::FollowItem::kEnd:
    case wire::FollowItem::ITEM_NOT_SET: break;
  }
  note(trouble, Code::unimplemented, "unknown kind of item");
  return {};
}

}  // namespace muster
