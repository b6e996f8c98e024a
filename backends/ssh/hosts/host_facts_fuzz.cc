// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parser of hosts' facts: no crash, no control characters in texts, and the result can be written and parsed again.
#include <cstddef>
#include <cstdint>

#include "backends/ssh/hosts/host_facts.h"
#include "core/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto facts = muster::facts_from_json(text);
  if (!facts.ok()) return 0;
  for (const std::string& told : {facts->host, facts->user, facts->kernel, facts->torch}) {
    for (const char c : told) MUSTER_CHECK(static_cast<unsigned char>(c) >= ' ');
  }
  MUSTER_CHECK(muster::facts_from_json(muster::facts_to_json(*facts)).ok());
  return 0;
}
