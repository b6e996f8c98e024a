// `muster doctor --backend kubernetes`: a cluster is asked (cluster_questions.cc says what, ask_cluster.cc by whom), and what it
// answered is judged (judge_cluster*.cc). All but ask_cluster.cc is pure. Nothing is created: what might be is a dry run of the
// server. Every rule stands in docs/kubernetes.md.
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
  std::vector<std::string> words;  // of kubectl
  std::string input;
};

struct ClusterAnswer {
  Status status;
  std::string text;
  Duration took{0};
};

using ClusterAnswers = std::map<std::string, ClusterAnswer>;  // by the question's name

// What is to be checked.
struct ClusterCase {
  ClusterPlace place;
  std::string space;           // the namespace in the end; empty: not known yet
  bool has_job = false;        // else `job_set` is a stand-in, and only its admission counts
  std::string job_set;         // the manifest
  KubernetesSpec wanted = {};  // of the job
};

// Pods of one replicated job in the manifest.
struct PodsWanted {
  std::string name;
  double count = 0;
  ClusterValue spec;
  std::map<std::string, std::string> labels;
};
std::vector<PodsWanted> pods_wanted(const std::string& job_set);

// A right, why it is wanted, and how much.
struct Right {
  std::string verb, group, resource, subresource;
  Finding::Level without = Finding::Level::problem;
  std::string effect;
  // "pods/exec", "jobsets.jobset.x-k8s.io"
  std::string name() const;
};
std::vector<Right> rights_wanted(const ClusterCase& about);

// Of kubectl and its configuration; then of whether the cluster answers; then all else.
std::vector<ClusterQuestion> questions_at_home();
std::vector<ClusterQuestion> questions_at_the_door();
std::vector<ClusterQuestion> questions_inside(const ClusterCase& about);
// The namespace that kubectl's configuration says.
std::string space_of(const ClusterAnswers& answers);

// Asks several at a time.
ClusterAnswers ask_cluster(const KubectlAccess& access, const std::vector<ClusterQuestion>& questions);

// In the order that they are shown in.
std::vector<Finding> judge_cluster(const ClusterCase& about, const ClusterAnswers& answers);

// Its parts.
std::vector<Finding> judge_way(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_rights(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_job_set(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_room(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_nodes(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_policy(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_named(const ClusterCase& about, const ClusterAnswers& answers);
std::vector<Finding> judge_ways_of_pods(const ClusterCase& about, const ClusterAnswers& answers);

// What is the matter with a question that kubectl did not answer.
Finding unanswered(const std::string& subject, const Status& status, const std::string& effect);
// The answer; null: it was not asked, or there is none. `findings` learns why, without a word against the cluster where
// this user may not look.
const ClusterAnswer* answer_to(const std::string& question, const std::string& subject, const ClusterAnswers& answers,
                               std::vector<Finding>& findings);
// "kubectl -n research ", with the context where one is chosen.
std::string kubectl_in(const ClusterCase& about);
// A whole line.
std::string kubectl_line(const ClusterPlace& place, const std::vector<std::string>& words);

}  // namespace muster
