// SPDX-License-Identifier: Apache-2.0
// The JSON that `-o json` prints. Names are stable, "schema" is the first member of every document (document.h), times are
// RFC 3339 in UTC, durations are in seconds, absent values are left out. One line each, without the line end. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/job_spec.h"
#include "core/job/plan/plan.h"
#include "core/port/control_messages.h"

namespace muster {

// `now`: the end of phases that are not over yet.
std::string job_json(const JobView& job, TimePoint now);

// Appends a member to a JSON object; `json` is its value.
std::string with_member(std::string object, const std::string& name, const std::string& json);
// Keeps the order of `jobs`.
std::string jobs_json(const std::vector<JobView>& jobs, TimePoint now);
// Tells which ended jobs a list leaves out. `all`: none. `more`: also some that ended in the last hour.
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
std::string end_json(const JobView& job);  // `job` has ended

// `environments`: by plan index, with secrets masked. `service`: the service program (shown_service()); empty: none.
std::string plan_json(const JobSpec& spec, const Plan& plan,
                      const std::vector<std::map<std::string, std::string>>& environments,
                      const std::string& service = "");

struct VersionFacts {
  std::string version;
  std::string commit;  // empty: unknown
  std::string compiler;
  std::string build;               // "release", "debug"
  std::string controller_version;  // empty: none runs
  int64_t controller_pid = 0;
};
std::string version_json(const VersionFacts& facts);

// Converts a JSON document to block YAML that ends with a line end.
std::string yaml_from_json(std::string_view json);

// Formats a JSON document on several indented lines, for people.
std::string pretty_json(std::string_view json);

}  // namespace muster
