// SPDX-License-Identifier: Apache-2.0
// `muster doctor --backend kubernetes`: cluster_questions.cc defines the questions, ask_cluster.cc asks the cluster, judge_cluster*.cc make
// findings of the answers. Everything except ask_cluster.cc is pure. Nothing is created; the JobSet is only sent as a server-side dry run.
// The rules are listed in docs/reference/kubernetes-doctor.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_value.h"
#include "backends/kubernetes/cluster/kubectl.h"
#include "core/client/doctor/doctor_finding.h"
#include "core/job/kubernetes_spec.h"

namespace muster {

struct ClusterQuestion {
  std::string name;
  std::vector<std::string> words;  // kubectl's arguments
  std::string input;
};

struct ClusterAnswer {
  Status status;
  std::string text;
  Duration took{0};
};

using ClusterAnswers = std::map<std::string, ClusterAnswer>;  // by the question's name

// The input of all checks.
struct ClusterCase {
  ClusterPlace place;
  std::string space;           // the resolved namespace; empty: not known yet
  bool has_job = false;        // false: `job_set` is a sample, used only to check admission
  std::string job_set;         // the manifest
  KubernetesSpec wanted = {};  // the job's `kubernetes:` settings
};

// The pods of one replicated job in the manifest.
struct PodsWanted {
  std::string name;
  double count = 0;
  ClusterValue spec;
  std::map<std::string, std::string> labels;
};
std::vector<PodsWanted> pods_wanted(const std::string& job_set);

// A right that muster needs, with the level and effect of the finding if it is missing.
struct Right {
  std::string verb, group, resource, subresource;
  Finding::Level without = Finding::Level::problem;
  std::string effect;
  // "pods/exec", "jobsets.jobset.x-k8s.io"
  std::string name() const;
};
std::vector<Right> rights_wanted(const ClusterCase& about);

// Asked in this order: about kubectl and its configuration, whether the cluster answers, and everything else.
std::vector<ClusterQuestion> questions_at_home();
std::vector<ClusterQuestion> questions_at_the_door();
std::vector<ClusterQuestion> questions_inside(const ClusterCase& about);
// The namespace in kubectl's configuration.
std::string space_of(const ClusterAnswers& answers);

// Asks several questions in parallel. Blocks.
ClusterAnswers ask_cluster(const KubectlAccess& access, const std::vector<ClusterQuestion>& questions);

// All findings, in the order in which they are shown.
std::vector<Finding> judge_cluster(const ClusterCase& about, const ClusterAnswers& answers);

// The parts of judge_cluster().
std::vector<Finding> judge_way(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_rights(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_job_set(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_room(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_nodes(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_policy(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_named(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_ways_of_pods(const ClusterCase& about, const ClusterAnswers& answers);

// The finding for a question that kubectl could not answer.
Finding unanswered(const std::string& subject, const Status& status, const std::string& effect);
// The answer to a question. Null: not asked or failed; the reason is added to `findings` (as ok if the user has no right to read it).
const ClusterAnswer* answer_to(const std::string& question, const std::string& subject, const ClusterAnswers& answers,
                               std::vector<Finding>& findings);
// "kubectl -n research ", with --context if one is chosen.
std::string kubectl_in(const ClusterCase& about);
// A whole command line for a shell.
std::string kubectl_line(const ClusterPlace& place, const std::vector<std::string>& words);

}  // namespace muster
