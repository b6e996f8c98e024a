// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parsers of flight records (pickle or JSON) and of the answers of NCCL's RAS.
#include <cstddef>
#include <cstdint>

#include "core/rank/flight_record.h"
#include "core/rank/pickle_text.h"
#include "core/rank/ras_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto json = muster::json_of_pickle(text)) static_cast<void>(muster::read_flight_record(*json));
  static_cast<void>(muster::read_flight_record(text));
  static_cast<void>(muster::read_ras_json(text));
  static_cast<void>(muster::read_ras_text(text));
  return 0;
}
