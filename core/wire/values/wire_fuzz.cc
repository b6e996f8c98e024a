// SPDX-License-Identifier: Apache-2.0
// Fuzzes messages from peers: the first byte selects the kind. A message that converts must survive the round trip.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

template <typename Message>
void check(const std::string& bytes) {
  Message message;
  if (!message.ParseFromString(bytes)) return;
  Status trouble;
  const auto value = from_wire(message, trouble);
  if (!trouble.ok()) return;
  const auto again = from_wire(to_wire(value), trouble);
  MUSTER_CHECK(trouble.ok());
  if constexpr (requires { again == value; }) MUSTER_CHECK(again == value);
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0: muster::check<muster::wire::FromAgent>(bytes); break;
    case 1: muster::check<muster::wire::ToAgent>(bytes); break;
    case 2: muster::check<muster::wire::SubmitRequest>(bytes); break;
    case 3: muster::check<muster::wire::JobView>(bytes); break;
    case 4: muster::check<muster::wire::FollowRequest>(bytes); break;
    default: muster::check<muster::wire::RendezvousCall>(bytes); break;
  }
  return 0;
}
