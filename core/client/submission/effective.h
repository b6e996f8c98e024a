// SPDX-License-Identifier: Apache-2.0
// The values of a spec with all defaults, by dotted key: "restarts.limit", "env.LEVEL", "groups.trainer.nodes". If there
// is only one group, its keys have no group name: "nodes". Pure.
#pragma once

#include <map>
#include <string>

#include "core/job/job_spec.h"

namespace muster {

// Values as JSON, strings without quotes. Keys without a value (such as "name" before a name is chosen) are left out.
std::map<std::string, std::string> effective_values(const JobSpec& spec);

// The same for a stored spec. Empty if the text is not a JSON object.
std::map<std::string, std::string> effective_values(const std::string& spec_json);

}  // namespace muster
