// SPDX-License-Identifier: Apache-2.0
// Shared by the convert_*.cc: enums by table, names, lists. Internal to them.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/job/caller_streams.h"
#include "core/job/process_settings.h"
#include "core/rank/rendezvous_call.h"
#include "proto/common.pb.h"
#include "proto/rendezvous.pb.h"

namespace muster {

// Keeps the first problem.
void note(Status& trouble, Code code, const std::string& sentence);

template <typename Domain, typename Wire>
struct EnumPair {
  Domain domain;
  Wire wire;
};

// A table rather than a cast: reordering our enum must not change the wire.
template <typename Domain, typename Wire, size_t N>
Wire wire_of(const EnumPair<Domain, Wire> (&table)[N], Domain value) {
  for (const auto& pair : table) {
    if (pair.domain == value) return pair.wire;
  }
  return Wire{};
}

template <typename Domain, typename Wire, size_t N>
Domain domain_of(const EnumPair<Domain, Wire> (&table)[N], Wire value, const char* what, Status& trouble) {
  for (const auto& pair : table) {
    if (pair.wire == value) return pair.domain;
  }
  const std::string number = std::to_string(static_cast<int>(value));
  note(trouble, Code::invalid_argument, std::string("unknown ") + what + " " + number);
  return table[0].domain;
}

// "" is the id that names no job.
JobId job_id_from(const std::string& text, Status& trouble);

// A number that must fit 16 bits (ports, rows, columns).
uint16_t short_from(uint32_t number, const char* what, Status& trouble);

using Variables = google::protobuf::RepeatedPtrField<wire::Variable>;
void fill(Variables* out, const std::map<std::string, std::string>& variables);
std::map<std::string, std::string> map_from(const Variables& variables);

void fill(wire::RendezvousAnswer* out, const RendezvousAnswer& value);

wire::ProcessSettings wire_settings(const ProcessSettings& value);
ProcessSettings settings_from(const wire::ProcessSettings& message);
wire::CallerStreams wire_streams(const CallerStreams& value);
CallerStreams streams_from(const wire::CallerStreams& message);

using Texts = google::protobuf::RepeatedPtrField<std::string>;
std::vector<std::string> strings_from(const Texts& texts);

inline TimePoint time_from(int64_t nanos) { return from_unix_nanos(nanos); }

}  // namespace muster
