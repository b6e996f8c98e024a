// A spec's values after all defaults, by their dotted keys: "restarts.limit", "env.LEVEL", "groups.trainer.nodes"; those of
// an only group without its name. Pure.
#pragma once

#include <map>
#include <string>

#include "core/job/job_spec.h"

namespace muster {

// Values in JSON without the quotes of a text. What has no value of its own ("name" before one is made) is left out.
std::map<std::string, std::string> effective_values(const JobSpec& spec);

// The same of a spec as it is stored; empty where the text is none.
std::map<std::string, std::string> effective_values(const std::string& spec_json);

}  // namespace muster
