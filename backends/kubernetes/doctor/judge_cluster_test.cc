// SPDX-License-Identifier: Apache-2.0
// Output of kubectl 1.36 about clusters, with parts that a test fills in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/kubernetes/doctor/cluster_check.h"
#include "backends/kubernetes/manifest/manifest.h"
#include "core/client/doctor/told_test.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ClusterCase a_case(const std::string& more = "") {
  const ParsedJob job = parse_job_json(
      R"({"name":"fashion","command":["true"],"nodes":4,"workers":8,"worker":{"gpus":1},"kubernetes":{"image":"train:7")" +
          more + "}}",
      "test");
  EXPECT_TRUE(job.diagnostics.empty()) << job.diagnostics.front().message;
  ClusterCase about{.place = {}, .space = "research", .has_job = true, .job_set = "", .wanted = job.spec.kubernetes};
  about.job_set = manifest_objects(job.spec, {"fashion", "muster:1", "research", ""}).back();
  return about;
}

ClusterAnswer said(const std::string& text) { return {Status(), text}; }
ClusterAnswer refused(Code code, const std::string& why) { return {Status(code, why), ""}; }

ClusterAnswers a_cluster() {
  return {
      {"client", said(R"({"clientVersion":{"major":"1","minor":"36","gitVersion":"v1.36.3"}})")},
      {"config", said(R"({"clusters":[{"name":"test","cluster":{"server":"https://10.0.0.1"}}],)"
                      R"("contexts":[{"name":"lab","context":{"namespace":"research"}}],"current-context":"lab"})")},
      {"version", said(R"({"serverVersion":{"major":"1","minor":"36","gitVersion":"v1.36.3"}})")},
      {"whoami", said(R"({"status":{"userInfo":{"username":"jane"}}})")},
      {"jobset", said(R"({"kind":"APIGroup","versions":[{"version":"v1alpha2"}]})")},
      {"dry run", said(R"({"kind":"JobSet","metadata":{"name":"fashion"}})")},
      {"namespace", said(R"({"metadata":{"name":"research","labels":{}},"status":{"phase":"Active"}})")}};
}

// Several concatenated objects.
std::string reviews(const ClusterCase& about, const std::vector<std::string>& denied) {
  std::string text;
  for (const Right& right : rights_wanted(about)) {
    const std::string name = right.verb + " " + right.name();
    const bool allowed = std::find(denied.begin(), denied.end(), name) == denied.end();
    text += std::string("{\n  \"status\": {\"allowed\": ") + (allowed ? "true" : "false") + "}\n}\n";
  }
  return text;
}

TEST(JudgeCluster, NothingIsSaidOfOneThatIsWell) {
  const ClusterCase about = a_case();
  ClusterAnswers answers = a_cluster();
  answers["rights"] = said(reviews(about, {}));
  EXPECT_THAT(told(judge_cluster(about, answers)), IsEmpty());
  EXPECT_EQ(space_of(answers), "research");
}

TEST(JudgeCluster, AnyAnswer_IsAccepted) {
  const ClusterCase about = a_case();
  for (const char* text : {"", "[]", "{", "7", R"({"items":[1,{"spec":{"limits":"x","hard":[]}}],"contexts":[3]})"}) {
    ClusterAnswers answers;
    for (const ClusterQuestion& each : questions_inside(about)) answers[each.name] = said(text);
    for (const ClusterQuestion& each : questions_at_home()) answers[each.name] = said(text);
    judge_cluster(about, answers);
    for (const auto part :
         {judge_rights, judge_job_set, judge_policy, judge_room, judge_nodes, judge_named, judge_ways_of_pods})
      part(about, answers);
    space_of(answers);
  }
}

TEST(JudgeCluster, OneThatDoesNotAnswer_IsAllThatIsSaid) {
  ClusterAnswers answers = a_cluster();
  answers["version"] = refused(Code::unavailable,
                               "the cluster's API server does not answer: refused; check it with kubectl cluster-info "
                               "(muster explain E1653)");
  const auto findings = judge_cluster(a_case(), answers);
  EXPECT_THAT(told(findings), ElementsAre("problem cluster: the cluster's API server does not answer: refused"));
  EXPECT_EQ(findings.back().mend, "check it with kubectl cluster-info");
}

TEST(JudgeCluster, KubectlsAge) {
  ClusterAnswers answers = a_cluster();
  answers["client"] = said(R"({"clientVersion":{"major":"1","minor":"26","gitVersion":"v1.26.0"}})");
  EXPECT_THAT(told(judge_way({}, answers)), ElementsAre("problem kubectl: v1.26.0, older than 1.27"));
  answers["client"] = said(R"({"clientVersion":{"major":"1","minor":"34+","gitVersion":"v1.34.1"}})");
  EXPECT_THAT(told(judge_way({}, answers)), ElementsAre("note kubectl: v1.34.1, and the cluster is v1.36.3"));
}

TEST(JudgeCluster, AMissingRight_SaysWhatIsLost_AndHowItIsGranted) {
  const ClusterCase about = a_case();
  ClusterAnswers answers = a_cluster();
  answers["rights"] = said(reviews(about, {"create pods/exec", "get pods", "list pods", "list events"}));
  const auto findings = judge_rights(about, answers);
  EXPECT_THAT(told(findings), ElementsAre("problem pods: you may not get, list", "note pods/exec: you may not create",
                                          "note events: you may not list"));
  EXPECT_EQ(findings.front().mend,
            "an administrator can run: kubectl --namespace=research create role muster-pods --verb=get,list "
            "--resource=pods && "
            "kubectl --namespace=research create rolebinding muster-pods --role=muster-pods --user=jane");
}

TEST(JudgeCluster, NoJobSet_AndAControllerThatIsAway) {
  ClusterAnswers answers = a_cluster();
  answers["jobset"] = refused(Code::not_found, "the server could not find the requested resource");
  EXPECT_THAT(told(judge_job_set(a_case(), answers)), ElementsAre("problem jobset: JobSet is not installed"));
  answers["jobset"] = said(R"({"versions":[{"version":"v1beta1"}]})");
  EXPECT_THAT(told(judge_job_set(a_case(), answers)),
              ElementsAre("problem jobset: the cluster serves v1beta1 of JobSet, not v1alpha2"));
  answers = a_cluster();
  answers["controller"] = said(
      R"({"items":[{"metadata":{"name":"jobset-controller-manager"},"spec":{"template":{"spec":{"containers":[{"name":"proxy","image":"registry.example/proxy:9"},{"name":"manager","image":"registry.k8s.io/jobset/jobset:v0.10.1"}]}}},"status":{}}]})");
  EXPECT_THAT(told(judge_job_set(a_case(), answers)), ElementsAre("problem jobset controller: 0 ready, v0.10.1"));
}

TEST(JudgeCluster, MissingReadRights_AreNoProblem) {
  ClusterAnswers answers = a_cluster();
  for (const char* question : {"namespace", "limits", "quotas", "network policies", "dns", "nodes"})
    answers[question] = refused(Code::permission_denied, "`jane` may not");
  answers["rights"] = said(reviews(a_case(), {}));
  EXPECT_THAT(told(judge_cluster(a_case(), answers)), IsEmpty());
}

TEST(JudgeCluster, AQuotaWithoutRoom) {
  ClusterAnswers answers = {{"limits", said(R"({"items":[]})")}};
  answers["quotas"] =
      said(R"({"items":[{"metadata":{"name":"team"},"spec":{"hard":{"requests.nvidia.com/gpu":"40","pods":"4"}},)"
           R"("status":{"used":{"requests.nvidia.com/gpu":"16","pods":"0"}}}]})");
  const auto findings = judge_room(a_case(), answers);
  EXPECT_THAT(told(findings),
              ElementsAre("problem quota: the job asks for 5 pods, but quota team allows 4",
                          "problem quota: the job asks for 32 requests.nvidia.com/gpu, but quota team allows 40, of "
                          "which 16 is in use"));
  EXPECT_EQ(findings.back().effect, "the job waits until the quota has free capacity");
  answers["quotas"] = said(R"({"items":[{"metadata":{"name":"cpus"},"spec":{"hard":{"requests.cpu":"100"}}}]})");
  EXPECT_THAT(told(judge_room(a_case(), answers)),
              ElementsAre("problem quota: quota cpus counts requests.cpu, but containers of worker do not set it"));
}

TEST(JudgeCluster, DefaultsAndBoundsOfTheNamespace) {
  ClusterAnswers answers = {{"quotas", said(R"({"items":[]})")}};
  answers["limits"] = said(
      R"({"items":[{"spec":{"limits":[{"type":"Container","default":{"memory":"512Mi"},"defaultRequest":{"memory":"128Mi"},"max":{"nvidia.com/gpu":"4"}}]}}]})");
  EXPECT_THAT(told(judge_room(a_case(), answers)),
              ElementsAre("problem limit range: worker asks for 8 nvidia.com/gpu, but the namespace allows at most 4",
                          "note limit range: the namespace limits the container of worker to 512 MiB memory"));
}

std::string node(const std::string& gpus, const std::string& more = "") {
  return R"({"metadata":{"labels":{"zone":"a"}},"spec":{)" + more +
         R"(},"status":{"allocatable":{"cpu":"96","memory":"1Ti","nvidia.com/gpu":")" + gpus +
         R"("},"conditions":[{"type":"Ready","status":"True"}]}})";
}

TEST(JudgeCluster, NodesWithTooFewGpus) {
  const ClusterAnswers answers = {
      {"nodes", said(R"({"items":[)" + node("8") + "," + node("8") + "," + node("4") + "," +
                     node("8", R"("taints":[{"key":"team","value":"b","effect":"NoSchedule"}])") + "]}")}};
  EXPECT_THAT(told(judge_nodes(a_case(), answers)),
              ElementsAre("problem nodes: worker: 4 pods of 8 nvidia.com/gpu; 2 of 4 nodes are large enough for such a "
                          "pod (1 with too little nvidia.com/gpu; 1 tainted team; capacity for 2 pods)"));
  EXPECT_THAT(told(judge_nodes(a_case(R"(,"tolerations":[{"key":"team","operator":"Exists"}])"), answers)),
              ElementsAre(HasSubstr("3 of 4 nodes are large enough")));
}

TEST(JudgeCluster, PodSecurityOfTheNamespace) {
  ClusterAnswers answers = a_cluster();
  const auto under = [&](const std::string& standard, const std::string& more) {
    answers["namespace"] = said(R"({"metadata":{"labels":{"pod-security.kubernetes.io/enforce":")" + standard +
                                R"("}},"status":{"phase":"Active"}})");
    return told(judge_policy(a_case(more), answers));
  };
  EXPECT_THAT(under("baseline", ""), IsEmpty());
  EXPECT_THAT(under("baseline", R"(,"host_network":true,"volumes":[{"name":"d","mount":"/d","host_path":"/srv"}])"),
              ElementsAre("problem pod security: the namespace's standard `baseline` forbids for worker: hostNetwork, "
                          "hostPath /srv"));
  EXPECT_THAT(under("restricted", ""), ElementsAre(HasSubstr("forbids for worker: privilege escalation")));
  EXPECT_THAT(under("restricted", R"(,"security":{"restricted":true})"), IsEmpty());
}

TEST(JudgeCluster, NamedObjects_MustExist) {
  const ClusterCase about = a_case(
      R"(,"pull_secrets":["reg"],"service_account":"trainer","queue":"team","volumes":[{"name":"d","mount":"/d","pvc":"data"}])");
  ClusterAnswers answers;
  answers["secret reg"] = refused(Code::permission_denied, "may not");
  answers["serviceaccount trainer"] = refused(Code::not_found, "none");
  answers["persistentvolumeclaim data"] = said(R"({"status":{"phase":"Pending"}})");
  answers["queue"] = refused(Code::unknown, "kubectl exited with code 1: the server doesn't have a resource type");
  EXPECT_THAT(told(judge_named(about, answers)),
              ElementsAre("problem service account: there is no service account trainer",
                          "note volume claim: data is not bound",
                          "note queue: Kueue is not installed, but the job names the queue team"));
}

TEST(JudgeCluster, AQueueThatTakesJobsWhichNameNone) {
  ClusterAnswers answers = a_cluster();
  answers["dry run"] = said(R"({"metadata":{"labels":{"kueue.x-k8s.io/queue-name":"default"}}})");
  EXPECT_THAT(told(judge_job_set(a_case(), answers)),
              ElementsAre("note queue: Kueue assigns jobs without a queue to default"));
  EXPECT_THAT(told(judge_job_set(a_case(R"(,"queue":"default")"), answers)), IsEmpty());
}

TEST(JudgeCluster, APolicyBetweenPods) {
  ClusterAnswers answers;
  const auto under = [&](const std::string& spec) {
    answers["network policies"] = said(R"({"items":[{"metadata":{"name":"deny"},"spec":)" + spec + "}]}");
    return told(judge_ways_of_pods(a_case(), answers));
  };
  EXPECT_THAT(under(R"({"podSelector":{},"policyTypes":["Ingress"]})"),
              ElementsAre("problem network policy: deny blocks worker from coordinator on port 7733",
                          "problem network policy: deny blocks worker from worker"));
  EXPECT_THAT(under(R"({"podSelector":{"matchLabels":{"app":"web"}},"policyTypes":["Ingress"]})"), IsEmpty());
  EXPECT_THAT(under(R"({"podSelector":{},"policyTypes":["Ingress"],"ingress":[{"from":[{"podSelector":{}}]}]})"),
              IsEmpty());
  EXPECT_THAT(
      under(
          R"({"podSelector":{},"policyTypes":["Ingress"],"ingress":[{"from":[{"podSelector":{}}],"ports":[{"port":7733}]}]})"),
      ElementsAre("problem network policy: deny blocks worker from worker"));
}

TEST(JudgeCluster, Dns_WithoutReadyAddresses_IsAProblem) {
  ClusterAnswers answers;
  answers["dns"] = said(R"({"items":[{"endpoints":[{"conditions":{"ready":false}}]}]})");
  EXPECT_THAT(told(judge_ways_of_pods(a_case(), answers)), ElementsAre("problem dns: kube-dns has no ready address"));
}

}  // namespace
}  // namespace muster
