// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"

namespace muster {
namespace {

constexpr uint32_t kProtocol = 1;

struct CallFiller {
  wire::WorkerRequest& message;
  void operator()(const RendezvousCall& value) { *message.mutable_rendezvous() = to_wire(value); }
  void operator()(const Progress& value) { *message.mutable_progress() = to_wire(value); }
  void operator()(const EndQuestion&) { message.mutable_end(); }
  void operator()(const RejoinRequest& value) { message.mutable_rejoin()->set_withdraw(value.withdraw); }
};

struct AnswerFiller {
  wire::WorkerReply& message;
  void operator()(const RendezvousAnswer& value) { fill(message.mutable_rendezvous(), value); }
  void operator()(const EndNotice& value) {
    message.mutable_end()->set_why(value.why);
    message.mutable_end()->set_broken(value.broken);
    message.mutable_end()->set_grace_nanos(value.grace.count());
  }
  void operator()(const NewPlace& value) {
    *message.mutable_place()->mutable_status() = to_wire(value.status);
    fill(message.mutable_place()->mutable_environment(), value.environment);
  }
};

}  // namespace

wire::WorkerRequest to_wire(const WorkerCall& value) {
  wire::WorkerRequest message;
  message.set_protocol(kProtocol);
  message.set_attempt(value.attempt);
  message.set_index(value.index);
  std::visit(CallFiller{message}, value.call);
  return message;
}

WorkerCall from_wire(const wire::WorkerRequest& message, Status& trouble) {
  WorkerCall value{message.attempt(), message.index(), {}};
  if (message.protocol() != kProtocol)
    note(trouble, Code::unimplemented, "unknown worker protocol " + std::to_string(message.protocol()));
  switch (message.request_case()) {
    case wire::WorkerRequest::kRendezvous: value.call = from_wire(message.rendezvous(), trouble); break;
    case wire::WorkerRequest::kProgress: value.call = from_wire(message.progress(), trouble); break;
    case wire::WorkerRequest::kEnd: value.call = EndQuestion(); break;
    case wire::WorkerRequest::kRejoin: value.call = RejoinRequest{message.rejoin().withdraw()}; break;
    case wire::WorkerRequest::REQUEST_NOT_SET: note(trouble, Code::unimplemented, "unknown kind of call");
  }
  return value;
}

WorkerAnswer cannot_answer(const Status& trouble) {
  return RendezvousAnswer{trouble.with_context("this agent cannot answer"), "", {}};
}

wire::WorkerReply to_wire(const WorkerAnswer& value) {
  wire::WorkerReply message;
  std::visit(AnswerFiller{message}, value);
  return message;
}

WorkerAnswer from_wire(const wire::WorkerReply& message, Status& trouble) {
  switch (message.reply_case()) {
    case wire::WorkerReply::kRendezvous: return from_wire(message.rendezvous(), trouble);
    case wire::WorkerReply::kEnd:
      return EndNotice{message.end().why(), message.end().broken(), Duration(message.end().grace_nanos())};
    case wire::WorkerReply::kPlace:
      return NewPlace{from_wire(message.place().status(), trouble), map_from(message.place().environment())};
    case wire::WorkerReply::REPLY_NOT_SET: break;
  }
  note(trouble, Code::unimplemented, "unknown kind of answer");
  return RendezvousAnswer();
}

}  // namespace muster
