// JobHost: a host that a job may use, as it was found when the job was submitted (`muster facts` there). Values; pure.
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
  std::string name;      // what ssh is given: "a1", "user@a1"
  std::string address;   // numeric, at which its peers reach it
  std::string loopback;  // what ranks there may call 127.0.0.1 (MachineInfo::loopback)
  uint32_t slots = 0;    // ranks it takes; 0: as many as it can hold
  Inventory machine;
  std::string identity;        // alike for all names of one machine; empty: not known
  std::vector<Holder> others;  // who had some of it then
  std::string label;           // HostSpec's
  uint32_t weight = 1;
  bool operator==(const JobHost&) const = default;
};

// A JSON array in one line, for journal and wire.
std::string hosts_to_json(const std::vector<JobHost>& hosts);

// invalid_argument where it is none of ours; an empty text is no hosts.
Result<std::vector<JobHost>> hosts_from_json(std::string_view text);

}  // namespace muster
