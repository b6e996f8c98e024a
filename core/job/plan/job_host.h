// SPDX-License-Identifier: Apache-2.0
// JobHost: a host that a job may use, with the facts that `muster facts` reported when the job was submitted. Values;
// pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/job/plan/claim.h"
#include "core/job/plan/plan.h"

namespace muster {

struct JobHost {
  std::string name;      // the name for ssh: "a1", "user@a1"
  std::string address;   // numeric; where the other hosts reach it
  std::string loopback;  // the name for 127.0.0.1 on this host (MachineInfo::loopback)
  uint32_t slots = 0;    // most ranks on the host; 0: as many as fit
  Inventory machine;
  std::string identity;        // the same for all names of one machine; empty: unknown
  std::vector<Holder> others;  // holders of its resources at that time
  std::string label;           // HostSpec's
  uint32_t weight = 1;
  bool operator==(const JobHost&) const = default;
};

// A JSON array in one line, for journal and wire.
std::string hosts_to_json(const std::vector<JobHost>& hosts);

// invalid_argument if hosts_to_json did not write the text. An empty text is an empty list.
Result<std::vector<JobHost>> hosts_from_json(std::string_view text);

}  // namespace muster
