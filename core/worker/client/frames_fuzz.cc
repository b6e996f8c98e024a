// SPDX-License-Identifier: Apache-2.0
// Fuzzes read_reply() with arbitrary bytes; its memory is bounded by the input.
#include <cstddef>
#include <cstdint>

#include "core/worker/client/frames.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(muster::worker::read_reply({reinterpret_cast<const char*>(data), size}));
  return 0;
}
