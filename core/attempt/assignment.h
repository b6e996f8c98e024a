// What a node's agent is told to run in an attempt: plan, framework and the user's environment made into tasks. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/framework/framework.h"
#include "core/journal/journal_codec.h"
#include "core/port/agent_messages.h"
#include "core/port/output_files.h"

namespace muster {

// What a job has that its journal must not hold; kept in 0600 files of the run.
struct JobSecrets {
  std::map<std::string, std::string> environment;  // of the submitting shell
  std::map<std::string, std::string> secrets;      // by the variable they become
  ProcessSettings settings;                        // no secret, but the shell's as well
};

// "worker-0": names a rank's files.
std::string rank_file(const JobSpec& spec, const PlannedRank& rank);

// Where a rank may leave its last words, from its output's path, with or without `.out`: "…/worker-0.error.json".
std::string error_file_beside(const std::string& output);

// What of it goes to nodes that have an environment of their own (model/carried_variables.h); the shell's settings do not.
JobSecrets carried(const JobSecrets& secrets);

struct BindTerms {
  std::string address;  // of the node
  bool linger = true;
  Duration lease{0};
  bool own_environment = false;
  bool sends_output = false;
  Attempt attempt = 0;       // before which it is set up …
  std::string setup_output;  // … and where what that prints is kept
};

// The environment every rank starts from: framework defaults come below it, so they are not here.
Bind bind_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node, const BindTerms& terms);

// What is done on the node before its ranks; nothing: nothing is.
std::optional<SetupTask> setup_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node,
                                  const BindTerms& terms);

// The TCP ports that the node's agent is to hold for each attempt.
PortCounts ports_needed(const Submission& submission, NodeIndex node);

// What the node's agent serves in the attempt; nothing: no store.
std::optional<StoreTask> store_of(const Submission& submission, NodeIndex node, const AttemptPlace& place);

// How ranks are to be started, if not simply executed.
std::optional<WarmTask> warm_of(const JobSpec& spec);

// Whether the node, not the first of its world, gets a front end to the store.
bool has_store_front(const Submission& submission, NodeIndex node);

// The job's ranks at their rendezvous, by plan index.
std::vector<RendezvousMember> members_of(const Submission& submission);

// "JOB/attempt-2/worker-0.out": how a node that sends its output is told where to keep it.
std::string output_name(const Submission& submission, Attempt attempt, const PlannedRank& rank, OutputStream stream);

// The first of the node's ranks, beside whose output that of its setup lies.
const PlannedRank& first_rank(const Plan& plan, NodeIndex node);

using OutputPath = std::function<std::string(const PlannedRank& rank, OutputStream stream)>;

// Which ranks a coordinator proxy is to run; the rest of their tasks it knows itself, and it does not travel.
std::vector<RankTask> only_named(const std::vector<RankTask>& tasks);

// Layers of a rank's environment, weakest first: framework defaults, the shell's, the framework's, the job's `env`, the
// group's `env`.
std::vector<RankTask> tasks_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node,
                               const AttemptPlace& place, const OutputPath& path);

}  // namespace muster
