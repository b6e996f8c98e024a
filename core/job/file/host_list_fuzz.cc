// SPDX-License-Identifier: Apache-2.0
// Lists of hosts from anybody: no crash, and no name that ssh would take for an option.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/job/file/host_list.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const muster::HostList& list :
       {muster::parse_host_file(text, "hosts"), muster::parse_host_words(text, "--hosts")}) {
    MUSTER_CHECK(!list.hosts.empty() || !list.problems.empty());
    for (const muster::ListedHost& host : list.hosts) {
      MUSTER_CHECK(!host.name.empty() && host.name.front() != '-');
      MUSTER_CHECK(host.name[host.name.rfind('@') + 1] != '-');
      MUSTER_CHECK(!host.slots || *host.slots > 0);
    }
  }
  return 0;
}
