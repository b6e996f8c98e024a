// SPDX-License-Identifier: Apache-2.0
// libFuzzer for the journal's reader: no line makes reading or replaying throw or crash.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/journal/job_fold.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<std::string> lines = muster::split({reinterpret_cast<const char*>(data), size}, '\n');
  for (const std::string& line : lines) static_cast<void>(muster::decode_line(line));
  const muster::Result<muster::JobFold> fold = muster::JobFold::replay(lines);
  if (fold.ok()) static_cast<void>(fold->view());
  return 0;
}
