// SPDX-License-Identifier: Apache-2.0
// Builds the tasks of a node's agent for an attempt from plan, framework and the user's environment. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/framework/framework.h"
#include "core/job/plan/job_node.h"
#include "core/journal/journal_codec.h"
#include "core/port/agent_messages.h"
#include "core/port/output_files.h"

namespace muster {

// Data of a job that must not be in its journal; it is kept in files with mode 0600.
struct JobSecrets {
  std::map<std::string, std::string> environment;  // of the submitting shell
  std::map<std::string, std::string> secrets;      // by name of variable
  ProcessSettings settings;                        // of the submitting shell; not secret
  CallerStreams streams;                           // of the submitting command; not secret
};

// "worker-0": the base name of a rank's files.
std::string rank_file(const JobSpec& spec, const PlannedRank& rank);

// The error file of a rank, derived from its output's path with or without `.out`: "…/worker-0.error.json".
std::string error_file_beside(const std::string& output);

// The part of it for nodes that have an environment of their own (is_carried), without the shell's settings.
JobSecrets carried(const JobSecrets& secrets);

struct BindTerms {
  std::string address;  // of the node
  bool linger = true;
  Duration lease{0};
  bool own_environment = false;
  bool sends_output = false;
  Attempt attempt = 0;       // the attempt before which the setup runs
  std::string setup_output;  // path of the setup's output
};

// The Bind of a node. Its environment is the base of every rank's; it overrides framework defaults, so they are not in it.
Bind bind_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node, const BindTerms& terms);

// The setup of the node before its ranks start; nothing: there is none.
std::optional<SetupTask> setup_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node,
                                  const BindTerms& terms);

// The TCP ports that the node's agent must lease for each attempt.
PortCounts ports_needed(const Submission& submission, NodeIndex node);

// The torch store or store proxy that the node's agent serves in the attempt; nothing: none.
std::optional<StoreTask> store_of(const Submission& submission, NodeIndex node, const AttemptPlace& place);

// The warm start of the ranks; nothing: they are executed.
std::optional<WarmTask> warm_of(const JobSpec& spec, const JobSecrets& secrets);

// The MPI world of the node's ranks; nothing: the job is no MPI job, or the node has no ranks.
std::optional<MpiTask> mpi_of(const Submission& submission, NodeIndex node, Attempt attempt);

// The nodes with ranks, for a launcher that runs inside the job. `place` sets the addresses of each.
std::vector<JobNode> nodes_of(const Submission& submission, const std::function<void(NodeIndex, JobNode&)>& place);

// The host files of a node whose ranks are launchers of MPI (launcher_variables.h), by the variables that name them to launchers.
std::map<std::string, std::string> launcher_files(const Submission& submission, NodeIndex node);

// The service program that the node's agent runs in the attempt; nothing: it is not the first node of its world, or none is needed.
std::optional<ServiceProgram> program_of(const Submission& submission, NodeIndex node, const AttemptPlace& place);

// The files of the node's ranks, by the variables that name them.
std::map<std::string, std::string> files_of(const Submission& submission, NodeIndex node, const AttemptPlace& place);

// True if the node gets a store proxy; it is not the first node of its world then.
bool has_store_front(const Submission& submission, NodeIndex node);

// The rendezvous members of the job, by plan index.
std::vector<RendezvousMember> members_of(const Submission& submission);

// "JOB/attempt-2/worker-0.out": the relative path of output on a node that uploads it.
std::string output_name(const Submission& submission, Attempt attempt, const PlannedRank& rank, OutputStream stream);

// The first rank of the node. The output of the node's setup is beside its output.
const PlannedRank& first_rank(const Plan& plan, NodeIndex node);

using OutputPath = std::function<std::string(const PlannedRank& rank, OutputStream stream)>;

// The tasks of a coordinator proxy: only the ranks' indices. The proxy knows the rest itself, so it is not sent.
std::vector<RankTask> only_named(const std::vector<RankTask>& tasks);

// The tasks of a node. Layers of a rank's environment, weakest first: framework defaults, the shell's environment, variables of
// the framework, the job's `env`, the group's `env`.
std::vector<RankTask> tasks_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node,
                               const AttemptPlace& place, const OutputPath& path);

}  // namespace muster
