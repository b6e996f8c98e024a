// How a worker is told its place in the gang: per framework a table of variables, each with its value and its reason,
// from which come both what ranks get and what `muster frameworks NAME` prints. Pure; one small file each.
//
// Adding one: docs/checklists/add-a-framework.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/endpoint.h"
#include "core/base/ids.h"
#include "core/base/shared_vector.h"
#include "core/job/job_spec.h"
#include "core/job/node_ports.h"
#include "core/job/plan/plan.h"

namespace muster {

// What changes from attempt to attempt.
struct AttemptPlace {
  Attempt attempt = 1;
  uint32_t restarts = 0;
  JobId job;
  std::string job_name;
  // Per group: where its first rank's service listens, fresh for each attempt (DESIGN.md §6.6).
  SharedVector<Endpoint> endpoints;
  // With `store: proxy`, by node: where its ranks find the store. Port 0, or none: at the endpoint itself.
  SharedVector<Endpoint> fronts;
  // By node: the TCP ports that its ranks and services hold for the attempt. None where nobody needs any.
  SharedVector<PortsByOwner> ports;
  SharedVector<std::string> addresses;  // numeric, by node: where its ranks listen for each other
  SharedVector<std::string> loopbacks;  // by node: what its ranks may call 127.0.0.1; none: so
};

// One rank of one attempt.
struct RankPlace {
  const JobSpec& spec;
  const Plan& plan;
  const PlannedRank& rank;
  const AttemptPlace& place;
  std::string error_file;  // where the rank may leave its last words (torch's error file); empty: not known yet
};

// One variable of every rank.
struct FrameworkVariable {
  std::string_view name;
  std::string_view why;                                   // a few words for people
  std::optional<std::string> (*value)(const RankPlace&);  // nothing: left alone
  // The user's own value counts: it lies under the submitting shell's environment.
  bool fills_gap = false;
};

struct FrameworkInfo {
  Framework framework = Framework::plain;
  std::string_view summary;
  std::string_view service;  // what muster serves for it, and what a rank opens itself
  std::string_view arguments;
  std::vector<std::span<const FrameworkVariable>> variables;  // a later table wins
  bool meets_in_store = false;                                // ranks meet in torch's store (JobSpec::store)
  PortCounts service_ports =
      {};  // by service: how many TCP ports it needs on every node, beside the one where ranks meet
};
const FrameworkInfo& framework_info(Framework framework);
// In the order of the enum.
const std::vector<Framework>& all_frameworks();

// The variables of one rank over the user's environment and under the job's `env`; those that fill gaps go under it.
struct RankVariables {
  std::map<std::string, std::string> over;
  std::map<std::string, std::string> gaps;
};
RankVariables framework_variables(const RankPlace& view);

// The names of all that framework_variables() may give a rank of this job.
std::set<std::string> place_variables(const JobSpec& spec);

// The rank's command: with the arguments that the framework's own launcher adds.
std::vector<std::string> framework_command(const RankPlace& view);

// How many TCP ports the agent of a node holds for each attempt, by their owners, beside the one where ranks meet.
PortCounts node_ports(const FrameworkInfo& info, const JobSpec& spec, const Plan& plan, NodeIndex node);

// The TCP port of an owner, counted from 1; nothing: it has none.
std::optional<uint16_t> leased_port(const AttemptPlace& place, NodeIndex node, const std::string& owner,
                                    uint32_t number);

// What a word of a template (template_text.h) stands for.
std::optional<std::string> template_value(const RankPlace& view, std::string_view word);

// Whether an agent serves a store for the ranks of this job.
bool hosts_store(const JobSpec& spec);

// Tables that other frameworks stand on.
std::span<const FrameworkVariable> plain_variables();
std::span<const FrameworkVariable> torch_variables();
std::span<const FrameworkVariable> lightning_variables();
std::span<const FrameworkVariable> deepspeed_variables();

}  // namespace muster
