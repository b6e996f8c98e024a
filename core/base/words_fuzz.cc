// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parsers of sizes and durations (the formatted value parses back as the same value) and escaped() (its
// result has no control characters).
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/base/time.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = muster::parse_size(text); bytes.ok()) {
    MUSTER_CHECK(*muster::parse_size(muster::format_size(*bytes)) == *bytes);
  }
  if (const auto duration = muster::parse_duration(text); duration.ok()) {
    MUSTER_CHECK(*muster::parse_duration(muster::format_duration(*duration)) == *duration);
  }
  for (const char byte : muster::escaped(text)) MUSTER_CHECK(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f);
  return 0;
}
