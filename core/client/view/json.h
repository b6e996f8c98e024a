// The JSON that `-o json` prints: stable names, "schema" first in every document (document.h), times in RFC 3339 UTC
// and durations in seconds, absent values left out. One line each, without the end of line. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/job_spec.h"
#include "core/job/plan/plan.h"
#include "core/port/control_messages.h"

namespace muster {

// `now`: until when what goes on took its time.
std::string job_json(const JobView& job, TimePoint now);

// An object with one more member, the last; `json`: its value.
std::string with_member(std::string object, const std::string& name, const std::string& json);
// In the order that they come in.
std::string jobs_json(const std::vector<JobView>& jobs, TimePoint now);
// A list that leaves ended jobs out says so. `more`: of the last hour's too.
struct LeftOut {
  bool all = false;
  bool more = false;
};
std::string jobs_json(const std::vector<JobView>& jobs, TimePoint now, const LeftOut& left_out);
std::string idle_agents_json(const std::vector<IdleAgent>& agents);

// Lines of `run -o json` and `events -o json`; each has a "type".
std::string event_json(const JobEvent& event);
std::string output_json(const OutputChunk& chunk);
std::string remark_json(const std::string& sentence);
std::string end_json(const JobView& job);  // that is done

// Environment by plan index, already masked.
std::string plan_json(const JobSpec& spec, const Plan& plan,
                      const std::vector<std::map<std::string, std::string>>& environments);

struct VersionFacts {
  std::string version;
  std::string compiler;
  std::string build;               // "release", "debug"
  std::string controller_version;  // empty: none runs
  int64_t controller_pid = 0;
};
std::string version_json(const VersionFacts& facts);

// The same document as block YAML with an end of line.
std::string yaml_from_json(std::string_view json);

// The same document over several indented lines, for people who read it.
std::string pretty_json(std::string_view json);

}  // namespace muster
