// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/convert.h"
#include "core/wire/values/convert_tools.h"

namespace muster {
namespace {

using Kind = RendezvousCall::Kind;

constexpr EnumPair<Kind, wire::RendezvousKind> kKinds[] = {
    {Kind::set, wire::RENDEZVOUS_KIND_SET},
    {Kind::get, wire::RENDEZVOUS_KIND_GET},
    {Kind::wait, wire::RENDEZVOUS_KIND_WAIT},
    {Kind::add, wire::RENDEZVOUS_KIND_ADD},
    {Kind::compare_and_set, wire::RENDEZVOUS_KIND_COMPARE_AND_SET},
    {Kind::remove, wire::RENDEZVOUS_KIND_REMOVE},
    {Kind::list, wire::RENDEZVOUS_KIND_LIST},
    {Kind::barrier, wire::RENDEZVOUS_KIND_BARRIER},
    {Kind::fence, wire::RENDEZVOUS_KIND_FENCE},
};

}  // namespace

wire::RendezvousCall to_wire(const RendezvousCall& value) {
  wire::RendezvousCall message;
  message.set_kind(wire_of(kKinds, value.kind));
  message.set_key(value.key);
  message.set_value(value.value);
  message.set_expected(value.expected);
  message.set_amount(value.amount);
  message.mutable_ranks()->Assign(value.ranks.begin(), value.ranks.end());
  message.set_timeout_nanos(value.timeout.count());
  return message;
}

RendezvousCall from_wire(const wire::RendezvousCall& message, Status& trouble) {
  RendezvousCall value;
  value.kind = domain_of(kKinds, message.kind(), "rendezvous call", trouble);
  value.key = message.key();
  value.value = message.value();
  value.expected = message.expected();
  value.amount = message.amount();
  value.ranks = {message.ranks().begin(), message.ranks().end()};
  value.timeout = Duration(message.timeout_nanos());
  return value;
}

void fill(wire::RendezvousAnswer* out, const RendezvousAnswer& value) {
  if (value.status != Status()) *out->mutable_status() = to_wire(value.status);
  if (!value.value.empty()) out->set_value(value.value);
  out->mutable_values()->Assign(value.values.begin(), value.values.end());
}

wire::RendezvousAnswer to_wire(const RendezvousAnswer& value) {
  wire::RendezvousAnswer message;
  fill(&message, value);
  return message;
}

RendezvousAnswer from_wire(const wire::RendezvousAnswer& message, Status& trouble) {
  RendezvousAnswer value;
  value.status = from_wire(message.status(), trouble);
  value.value = message.value();
  value.values = strings_from(message.values());
  return value;
}

wire::RendezvousRequest to_wire(const RendezvousRequest& value) {
  wire::RendezvousRequest message;
  message.set_id(value.id);
  message.set_attempt(value.attempt);
  message.set_index(value.index);
  *message.mutable_call() = to_wire(value.call);
  return message;
}

RendezvousRequest from_wire(const wire::RendezvousRequest& message, Status& trouble) {
  RendezvousRequest value;
  value.id = message.id();
  value.attempt = message.attempt();
  value.index = message.index();
  value.call = from_wire(message.call(), trouble);
  return value;
}

wire::RendezvousReply to_wire(const RendezvousReply& value) {
  wire::RendezvousReply message;
  message.set_id(value.id);
  *message.mutable_answer() = to_wire(value.answer);
  return message;
}

RendezvousReply from_wire(const wire::RendezvousReply& message, Status& trouble) {
  RendezvousReply value;
  value.id = message.id();
  value.answer = from_wire(message.answer(), trouble);
  return value;
}

}  // namespace muster
