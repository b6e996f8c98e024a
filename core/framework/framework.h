// SPDX-License-Identifier: Apache-2.0
// The environment variables and arguments that tell a process its rank and its peers. Each framework has a table of
// variables with their values and meanings; ranks and `muster frameworks NAME` use the same table. Pure.
//
// To add a framework: docs/design/checklists/add-a-framework.md.
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
#include "core/job/service_program.h"

namespace muster {

// The values that change with each attempt.
struct AttemptPlace {
  Attempt attempt = 1;
  uint32_t restarts = 0;
  JobId job;
  std::string job_name;
  // By group: the endpoint at which its ranks meet, new in each attempt (docs/design/job-machine.md).
  SharedVector<Endpoint> endpoints;
  // By node, with `store: proxy`: the endpoint of its store proxy. Port 0 or no entry: ranks use the endpoint above.
  SharedVector<Endpoint> fronts;
  // By node: the TCP ports that are leased for its ranks and services in this attempt; empty if none are needed.
  SharedVector<PortsByOwner> ports;
  SharedVector<std::string> addresses;  // by node: the numeric address at which its ranks listen
  SharedVector<std::string> loopbacks;  // by node: the name for 127.0.0.1; no entry: 127.0.0.1
};

// One rank of one attempt.
struct RankPlace {
  const JobSpec& spec;
  const Plan& plan;
  const PlannedRank& rank;
  const AttemptPlace& place;
  std::string error_file;  // where the rank can write its failure message (torch's error file); empty: not known yet
  std::optional<std::string> visible_devices = {};  // CUDA_VISIBLE_DEVICES of the environment that the rank starts with
};

// One variable of every rank.
struct FrameworkVariable {
  std::string_view name;
  std::string_view why;                                   // the meaning, in a few words
  std::optional<std::string> (*value)(const RankPlace&);  // nullopt: not set
  // True: a value in the environment of the user overrides it.
  bool fills_gap = false;
};

struct FrameworkInfo {
  Framework framework = Framework::plain;
  std::string_view summary;
  std::string_view service;  // the service that muster provides, and what a rank opens itself
  std::string_view arguments;
  std::vector<std::span<const FrameworkVariable>> variables;  // a later table wins
  bool meets_in_store = false;                                // ranks meet in the torch store (JobSpec::store)
  PortCounts service_ports = {};  // by service: TCP ports that it needs on each node, besides the one where ranks meet
  uint32_t rank_ports = 0;        // TCP ports that each rank needs (leased_port() with rank_port_owner())
  // True: its import takes so long that ranks are forked from a warm parent unless the job says otherwise.
  bool slow_import = false;
  std::span<const FrameworkVariable> files = {};  // variables that name a file with this value as its text
  // The service program of the world of a rank. Null: the framework has none.
  std::optional<ServiceProgram> (*program)(const RankPlace&) = nullptr;
};
const FrameworkInfo& framework_info(Framework framework);
// In the order of the enum.
const std::vector<Framework>& all_frameworks();

// The variables of one rank. `over` overrides the environment of the user; `gaps` does not. `env` of the job overrides
// both.
struct RankVariables {
  std::map<std::string, std::string> over;
  std::map<std::string, std::string> gaps;
};
RankVariables framework_variables(const RankPlace& view);

// The names of all variables that framework_variables() can set for a rank of this job.
std::set<std::string> place_variables(const JobSpec& spec);

// The command of the rank, with the arguments that the framework's own launcher adds.
std::vector<std::string> framework_command(const RankPlace& view);

// For a word of a command with torch.macros: each `$` is doubled, so that ranks get the text as it is.
std::string without_macros(const std::string& text);

// "address:port" with the first leased TCP port of each rank, in rank order: of a group, or of the rank's world. nullopt:
// a port or an address is not known.
std::optional<std::vector<std::string>> group_endpoints(const RankPlace& view, uint32_t group);
std::optional<std::vector<std::string>> world_endpoints(const RankPlace& view);

// By owner, the number of TCP ports that the agent of a node leases for each attempt, besides the one where ranks meet.
PortCounts node_ports(const FrameworkInfo& info, const JobSpec& spec, const Plan& plan, NodeIndex node);

// The TCP port number `number` (from 1) of an owner; nullopt if there is none.
std::optional<uint16_t> leased_port(const AttemptPlace& place, NodeIndex node, const std::string& owner,
                                    uint32_t number);

// The value of a placeholder of a template (template_text.h); nullopt if it is unknown.
std::optional<std::string> template_value(const RankPlace& view, std::string_view word);

// The files of a node's ranks by the variables that name them: their texts. The same for all ranks of a node.
std::map<std::string, std::string> framework_files(const RankPlace& view);

// The program that runs on the first node of the rank's world in the attempt. Nothing: none is needed.
std::optional<ServiceProgram> service_program(const RankPlace& view);

// The service program of this job, for users: its name, or the command `service` of the job file. Empty: the job has none.
std::string shown_service(const JobSpec& spec, const Plan& plan);

// Whether an agent serves a torch store for the ranks of this job.
bool hosts_store(const JobSpec& spec);

// The tables of variables; frameworks combine them.
std::span<const FrameworkVariable> plain_variables();
std::span<const FrameworkVariable> torch_variables();
std::span<const FrameworkVariable> thread_variables();  // for programs that are known to use torch
std::span<const FrameworkVariable> lightning_variables();
std::span<const FrameworkVariable> deepspeed_variables();
std::span<const FrameworkVariable> jax_variables();
std::span<const FrameworkVariable> tensorflow_variables();
std::span<const FrameworkVariable> mpi_variables();
std::span<const FrameworkVariable> mlx_variables();
std::span<const FrameworkVariable> mlx_files();
std::span<const FrameworkVariable> xgboost_variables();
std::span<const FrameworkVariable> paddle_variables();
std::span<const FrameworkVariable> horovod_variables();

// The service programs of frameworks. `store: program` concerns only the tracker of XGBoost, which rank 0 then runs itself.
std::optional<ServiceProgram> xgboost_tracker(const RankPlace& view);
std::optional<ServiceProgram> horovod_server(const RankPlace& view);
std::optional<ServiceProgram> custom_service(const RankPlace& view);

}  // namespace muster
