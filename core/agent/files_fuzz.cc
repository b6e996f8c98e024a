// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parsers of files that may be damaged or written by others: a job's secrets, the failure message of a program,
// and the lines with which ranks set file timers.
#include <cstddef>
#include <cstdint>

#include "core/agent/rank/rank_timers.h"
#include "core/attempt/failure_message.h"
#include "core/attempt/secrets_file.h"
#include "core/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  MUSTER_CHECK(muster::failure_message_of(bytes).said.size() <= 300);
  const auto secrets = muster::decode_secrets(bytes);
  if (secrets.ok()) MUSTER_CHECK(muster::decode_secrets(muster::encode_secrets(*secrets)).ok());
  muster::RankTimers timers;
  const auto timer = muster::parse_timer_line(bytes);
  if (timer)
    MUSTER_CHECK(timers.take(*timer, muster::TimePoint(), 0) && timers.expired(muster::TimePoint()).size() <= 1);
  return 0;
}
