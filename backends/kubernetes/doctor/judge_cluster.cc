// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "backends/kubernetes/doctor/cluster_check.h"
#include "core/base/text.h"
#include "core/client/typed_words.h"
#include "core/job/errors/explain.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr int kOldestMinor = 27;
constexpr Duration kSlow = std::chrono::seconds(2);

int minor_of(const ClusterValue& version) { return std::atoi(version.text({"minor"}).c_str()); }

std::string value_of(const ClusterAnswers& answers, const char* question) {
  const auto found = answers.find(question);
  return found == answers.end() ? "" : found->second.text;
}

Finding judge_kubectl(const ClusterAnswers& answers) {
  const ClusterValue client = ClusterValue::of(value_of(answers, "client")).at({"clientVersion"});
  const ClusterValue server = ClusterValue::of(value_of(answers, "version")).at({"serverVersion"});
  const std::string mine = client.text({"gitVersion"});
  const std::string mend = "install kubectl of the cluster's version: https://kubernetes.io/docs/tasks/tools";
  if (mine.empty())
    return {Level::problem, "kubectl", "it does not report its version", "no command can reach a cluster", mend};
  if (client.text({"major"}) == "1" && minor_of(client) < kOldestMinor)
    return {Level::problem, "kubectl", mine + ", older than 1.27", "it lacks features that muster uses", mend};
  if (server.is_there() && std::abs(minor_of(client) - minor_of(server)) > 1)
    return {Level::note, "kubectl", mine + ", and the cluster is " + server.text({"gitVersion"}),
            "Kubernetes supports a difference of one minor version", mend};
  return {Level::ok, "kubectl", mine, "", ""};
}

// The context and its server: "test, https://10.100.0.1:443".
std::string target(const ClusterAnswers& answers) {
  const ClusterValue config = ClusterValue::of(value_of(answers, "config"));
  const auto clusters = config.items({"clusters"});
  const std::string server = clusters.empty() ? "" : clusters.front().text({"cluster", "server"});
  return config.text({"current-context"}) + (server.empty() ? "" : ", " + server);
}

Finding judge_reach(const ClusterAnswers& answers) {
  const auto found = answers.find("version");
  const auto config = answers.find("config");
  if (config != answers.end() && !config->second.status.ok())
    return unanswered("context", config->second.status, "no command can reach a cluster");
  if (found == answers.end()) return {Level::problem, "cluster", "it was not asked", "", "kubectl version"};
  if (!found->second.status.ok()) return unanswered("cluster", found->second.status, "no command can reach it");
  const std::string server = ClusterValue::of(found->second.text).at({"serverVersion"}).text({"gitVersion"});
  const std::string text = target(answers) + ": " + server + ", answers in " + humane_duration(found->second.took);
  if (found->second.took < kSlow) return {Level::ok, "cluster", text, "", ""};
  return {Level::note, "cluster", text, "every command on a job takes at least as long",
          "time kubectl get --raw /livez"};
}

Finding judge_user(const ClusterAnswers& answers) {
  const auto found = answers.find("whoami");
  if (found == answers.end()) return {Level::note, "user", "not asked", "", "kubectl auth whoami"};
  if (!found->second.status.ok()) {
    const bool stranger = found->second.status.code() == Code::unauthenticated;
    Finding finding = unanswered("user", found->second.status, stranger ? "no job can be submitted" : "");
    if (!stranger) finding.level = Level::note;
    return finding;
  }
  return {Level::ok, "user", ClusterValue::of(found->second.text).text({"status", "userInfo", "username"}), "", ""};
}

// Commands that create a role with the missing verbs and bind it to the user.
std::string grant(const ClusterCase& about, const ClusterAnswers& answers, const std::string& resource,
                  const std::vector<std::string>& verbs) {
  std::string role = "muster-" + resource.substr(0, resource.find('.'));
  std::replace(role.begin(), role.end(), '/', '-');
  const std::string user = ClusterValue::of(value_of(answers, "whoami")).text({"status", "userInfo", "username"});
  ClusterPlace place = about.place;
  place.space = about.space;
  return "an administrator can run: " +
         kubectl_line(place, {"create", "role", role, "--verb=" + join(verbs, ","), "--resource=" + resource}) +
         " && " +
         kubectl_line(place,
                      {"create", "rolebinding", role, "--role=" + role, "--user=" + (user.empty() ? "USER" : user)});
}

std::string version_of_controller(const ClusterValue& deployment) {
  constexpr std::string_view kContainer = "manager";  // of JobSet's manifests; a cluster may add others
  std::string image;
  for (const ClusterValue& each : deployment.items({"spec", "template", "spec", "containers"}))
    if (each.text({"name"}) == kContainer) image = each.text({"image"});
  const size_t tag = image.rfind(':');
  return tag == std::string::npos ? "" : image.substr(tag + 1);
}

// Only if the user may read its deployment; otherwise the dry run shows problems.
void judge_controller(const ClusterAnswers& answers, std::vector<Finding>& findings) {
  for (const ClusterValue& each : ClusterValue::of(value_of(answers, "controller")).items({"items"})) {
    if (each.text({"metadata", "name"}).find("jobset") == std::string::npos) continue;
    const std::string replicas = each.text({"status", "readyReplicas"});
    const bool well = !replicas.empty() && replicas != "0";
    const std::string ready = well ? replicas : "0";
    findings.push_back(
        {well ? Level::ok : Level::problem, "jobset controller",
         ready + " ready" + (version_of_controller(each).empty() ? "" : ", " + version_of_controller(each)),
         well ? "" : "its webhook refuses jobs, and jobs get no pods",
         well ? "" : "kubectl -n jobset-system get pods shows why"});
  }
}

// False only if the namespace is known to be missing.
bool has_space(const ClusterAnswers& answers) {
  const auto found = answers.find("namespace");
  return found == answers.end() || found->second.status.code() != Code::not_found;
}

// Kueue may be configured to manage jobs without a queue, and to wait for ready pods. Pods of such jobs never become ready
// (docs/design/decisions/0022-lost-pods.md).
void judge_queue_by_default(const ClusterCase& about, const ClusterAnswer& dry_run, std::vector<Finding>& findings) {
  const auto labels = ClusterValue::of(dry_run.text).texts({"metadata", "labels"});
  const auto queue = labels.find("kueue.x-k8s.io/queue-name");
  if (queue == labels.end() || !about.wanted.queue.empty()) return;
  findings.push_back({Level::note, "queue", "Kueue assigns jobs without a queue to " + queue->second,
                      "with waitForPodsReady, Kueue evicts the job, because its pods never become ready",
                      "set `kubernetes: {queue: " + queue->second + "}`"});
}

Finding judge_dry_run(const ClusterCase& about, const ClusterAnswer& answer) {
  const std::string what = about.has_job ? "the job's JobSet" : "a JobSet";
  if (answer.status.ok())
    return {Level::ok, "admission", what + " passes the cluster's webhooks and policies (dry run)", "", ""};
  if (answer.status.code() == Code::already_exists)
    return {Level::note, "admission", "the namespace has a JobSet of this name", "a job with this name is refused",
            kubectl_line(about.place, {"get", "jobsets"})};
  return unanswered("admission", answer.status, what + " is refused");
}

}  // namespace

std::string kubectl_in(const ClusterCase& about) {
  const std::string& context = about.place.context;
  return "kubectl " + (context.empty() ? "" : shell_line({"--context=" + context}) + " ") + "-n " + about.space + " ";
}

std::string kubectl_line(const ClusterPlace& place, const std::vector<std::string>& words) {
  std::vector<std::string> line = kubectl_arguments(place, words);
  line.insert(line.begin(), "kubectl");
  return shell_line(line);
}

Finding unanswered(const std::string& subject, const Status& status, const std::string& effect) {
  const MessageParts parts = message_parts(status.message());
  const std::string explanation = parts.code.empty() ? "" : "muster explain " + parts.code;
  return {Level::problem, subject, parts.sentence, effect, parts.fix.empty() ? explanation : parts.fix};
}

const ClusterAnswer* answer_to(const std::string& question, const std::string& subject, const ClusterAnswers& answers,
                               std::vector<Finding>& findings) {
  const auto found = answers.find(question);
  if (found == answers.end()) return nullptr;
  if (found->second.status.ok()) return &found->second;
  if (found->second.status.code() == Code::permission_denied) {
    findings.push_back({Level::ok, subject, "not checked: you may not read it", "", ""});
  } else {
    Finding finding = unanswered(subject, found->second.status, "");
    finding.level = Level::note;
    findings.push_back(std::move(finding));
  }
  return nullptr;
}

std::vector<Finding> judge_way(const ClusterCase&, const ClusterAnswers& answers) {
  std::vector<Finding> findings = {judge_kubectl(answers), judge_reach(answers)};
  if (!has_problem(findings)) findings.push_back(judge_user(answers));
  return findings;
}

std::vector<Finding> judge_rights(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings;
  const ClusterAnswer* answer = answer_to("rights", "rights", answers, findings);
  if (answer == nullptr) return findings;
  const std::vector<Right> wanted = rights_wanted(about);
  const std::vector<ClusterValue> reviews = ClusterValue::all_of(answer->text);
  std::vector<std::string> verbs;
  for (size_t i = 0; i < std::min(wanted.size(), reviews.size()); ++i) {
    if (reviews[i].is_true({"status", "allowed"})) continue;
    const Right& right = wanted[i];
    const bool same = !findings.empty() && findings.back().subject == right.name();
    if (!same) verbs.clear();
    verbs.push_back(right.verb);
    const std::string mend = grant(about, answers, right.name(), verbs);
    if (!same) {
      findings.push_back({right.without, right.name(), "you may not " + right.verb, right.effect, mend});
      continue;
    }
    Finding& finding = findings.back();
    finding.level = std::max(finding.level, right.without);
    finding.text = "you may not " + join(verbs, ", ");
    finding.mend = mend;
  }
  if (findings.empty())
    findings.push_back({Level::ok, "rights", "you have all that muster needs in the namespace " + about.space, "", ""});
  return findings;
}

std::vector<Finding> judge_job_set(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings;
  const auto found = answers.find("jobset");
  if (found == answers.end()) return findings;
  const std::string install =
      "an administrator installs it once: kubectl apply --server-side -f "
      "https://github.com/kubernetes-sigs/jobset/releases/latest/download/manifests.yaml";
  if (found->second.status.code() == Code::not_found)
    return {{Level::problem, "jobset", "JobSet is not installed", "no job can be submitted", install}};
  if (answer_to("jobset", "jobset", answers, findings) != nullptr) {
    std::vector<std::string> served;
    for (const ClusterValue& each : ClusterValue::of(found->second.text).items({"versions"}))
      served.push_back(each.text({"version"}));
    if (std::find(served.begin(), served.end(), "v1alpha2") == served.end())
      return {{Level::problem, "jobset", "the cluster serves " + join(served, ", ") + " of JobSet, not v1alpha2",
               "no job can be submitted", install}};
    findings.push_back({Level::ok, "jobset", "v1alpha2 is served", "", ""});
  }
  judge_controller(answers, findings);
  const auto dry = answers.find("dry run");
  // The missing right to create a JobSet is already reported.
  if (dry == answers.end() || dry->second.status.code() == Code::permission_denied || !has_space(answers))
    return findings;
  findings.push_back(judge_dry_run(about, dry->second));
  judge_queue_by_default(about, dry->second, findings);
  return findings;
}

std::vector<Finding> judge_cluster(const ClusterCase& about, const ClusterAnswers& answers) {
  std::vector<Finding> findings = judge_way(about, answers);
  if (has_problem(findings)) return findings;
  const auto add = [&](std::vector<Finding> more) {
    findings.insert(findings.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (const auto part : {judge_rights, judge_job_set, judge_policy}) add(part(about, answers));
  if (!has_space(answers)) return findings;
  for (const auto part : {judge_room, judge_nodes, judge_named, judge_ways_of_pods}) add(part(about, answers));
  return findings;
}

}  // namespace muster
