// SPDX-License-Identifier: Apache-2.0
// Messages of kubectl 1.36, verbatim.
#include "backends/kubernetes/cluster/kubectl_words.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

struct Said {
  const char* errors;
  Code code;
  const char* sentence;  // a part of the expected message
  const char* explain;
};

const Said kAll[] = {
    {"Error in configuration: context was not found for specified context: nope\n", Code::invalid_argument,
     "kubectl has no context `nope`", "E1652"},
    {"error: cannot locate context nope", Code::invalid_argument, "kubectl has no context `nope`", "E1652"},
    {"E1123 10:28:40.150887   13227 memcache.go:265] \"Unhandled Error\" err=\"couldn't get current server API group "
     "list\"\n"
     "The connection to the server localhost:8080 was refused - did you specify the right host or port?\n",
     Code::unavailable, "kubectl has no cluster configured", "E1652"},
    {"The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n",
     Code::unavailable, "does not answer: The connection to the server 127.0.0.1:1 was refused", "E1653"},
    {"Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout\n", Code::unavailable,
     "the cluster's API server does not answer: dial tcp 10.0.0.1:6443: i/o timeout", "E1653"},
    {"Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown "
     "authority\n",
     Code::unavailable, "certificate signed by unknown authority", "E1653"},
    {"Error from server: etcdserver: request timed out\n", Code::unavailable,
     "the cluster's API server does not answer: ", "E1653"},
    {"Error from server (ServiceUnavailable): the server is currently unable to handle the request (get "
     "jobsets.jobset.x-k8s.io)\n",
     Code::unavailable, "the cluster's API server does not answer: ", "E1653"},
    {"Error from server (NotFound): the server could not find the requested resource\n", Code::unavailable,
     "the cluster's API server does not answer: ", "E1653"},
    {"error: You must be logged in to the server (Unauthorized)\n", Code::unauthenticated,
     "the cluster rejects your credentials", "E1654"},
    {"Unable to connect to the server: getting credentials: exec: executable aws not found\n", Code::unauthenticated,
     "kubectl cannot get credentials: getting credentials: exec: executable aws not found", "E1654"},
    {"Error from server (Forbidden): pods is forbidden: User \"jane\" cannot list resource \"pods\" in API group "
     "\"\" in the "
     "namespace \"default\"\n",
     Code::permission_denied,
     "`jane` may not list pods in the namespace `default`; ask your administrator for the verb "
     "`list` on `pods`",
     "E1655"},
    {"Error from server (Forbidden): jobsets.jobset.x-k8s.io \"foo\" is forbidden: User \"jane\" cannot delete "
     "resource "
     "\"jobsets\" in API group \"jobset.x-k8s.io\" in the namespace \"default\"\n",
     Code::permission_denied, "`jane` may not delete jobsets.jobset.x-k8s.io", "E1655"},
    {"Error from server (NotFound): error when creating \"STDIN\": namespaces \"nope\" not found\n", Code::not_found,
     "the cluster has no namespace `nope`", "E1656"},
    {"error: the server doesn't have a resource type \"jobsets\"\n", Code::failed_precondition,
     "JobSet is not installed in the cluster", "E1657"},
    {"error: resource mapping not found for name: \"demo\" namespace: \"\" from \"STDIN\": no matches for kind "
     "\"JobSet\" in "
     "version \"jobset.x-k8s.io/v1alpha2\"\nensure CRDs are installed first\n",
     Code::failed_precondition, "JobSet is not installed in the cluster", "E1657"},
    {"error: the server doesn't have a resource type \"clustertrainingruntimes\"\n", Code::failed_precondition,
     "Kubeflow Trainer is not installed in the cluster", "E1664"},
    {"Error from server (InternalError): error when creating \"STDIN\": Internal error occurred: failed calling "
     "webhook "
     "\"mjobset.kb.io\": failed to call webhook: Post "
     "\"https://jobset-webhook-service.jobset-system.svc:443/mutate\": dial tcp "
     "10.0.0.7:443: connect: connection refused\n",
     Code::failed_precondition, "its controller does not answer", "E1657"},
    {"Error from server: error when creating \"STDIN\": admission webhook \"policy.example.com\" denied the request: "
     "images come "
     "from registry.example.com\n",
     Code::resource_exhausted, "the cluster's policy refuses this job: images come from registry.example.com", "E1658"},
    {"Error from server: error when creating \"STDIN\": admission webhook \"mjobset.kb.io\" denied the request: "
     "json: cannot "
     "unmarshal string into Go struct field FailurePolicy.spec.failurePolicy.maxRestarts of type int32\n",
     Code::invalid_argument, "JobSet refuses this job: json: cannot unmarshal", "E1660"},
    {"Error from server (Forbidden): error when creating \"STDIN\": secrets \"a-muster\" is forbidden: exceeded "
     "quota: few, "
     "requested: secrets=1, used: secrets=3, limited: secrets=3\n",
     Code::resource_exhausted, "this job does not fit into a quota: exceeded quota: few, requested: secrets=1",
     "E1659"},
    {"Error from server (AlreadyExists): error when creating \"STDIN\": jobsets.jobset.x-k8s.io \"demo\" already "
     "exists\n",
     Code::already_exists,
     "already has `demo`; choose another --name, or remove it: muster rm demo --backend kubernetes", "E1661"},
    {"The JobSet \"Demo_X\" is invalid: metadata.name: Invalid value: \"Demo_X\": a lowercase RFC 1123 subdomain\n",
     Code::invalid_argument, "the cluster rejects this job: metadata.name: Invalid value: \"Demo_X\"", "E1660"},
    {"Error from server (BadRequest): error when creating \"STDIN\": JobSet in version \"v1alpha2\" cannot be "
     "handled as a "
     "JobSet: strict decoding error: unknown field \"spec.foo\"\n",
     Code::invalid_argument, "the cluster rejects this job: unknown field \"spec.foo\"", "E1660"},
    {"error: unknown flag: --subresource\nSee 'kubectl get --help' for usage.\n", Code::unimplemented,
     "this kubectl is too old for muster: unknown flag: --subresource", "E1662"},
};

TEST(KubectlWords, KnownErrors_HaveACodeAndAFix) {
  for (const Said& each : kAll) {
    const Status status = kubectl_trouble({"nope", ""}, 1, each.errors);
    EXPECT_EQ(status.code(), each.code) << each.errors;
    EXPECT_NE(status.message().find(each.sentence), std::string::npos) << status.message();
    EXPECT_NE(status.message().find(each.explain), std::string::npos) << status.message();
  }
}

TEST(KubectlWords, UnknownErrors_AreShownVerbatim) {
  EXPECT_EQ(kubectl_trouble({}, 1, "error: something new\n"),
            Status(Code::unknown, "kubectl exited with code 1: something new"));
  EXPECT_EQ(kubectl_trouble({}, 137, ""), Status(Code::unknown, "kubectl was killed by signal 9 and printed nothing"));
  EXPECT_EQ(kubectl_trouble({}, 1, "Error from server (NotFound): pods \"a\" not found\n").code(), Code::not_found);
}

TEST(KubectlWords, CredentialPluginThatFails_IsQuoted) {
  const Status status = kubectl_trouble(
      {}, 1,
      "AADSTS70043: The refresh token has expired.\n"
      "AADSTS70043: The refresh token has expired.\n"
      "E1123 10:28:40.150887   13227 memcache.go:265] \"Unhandled Error\" err=\"getting credentials\"\n"
      "Unable to connect to the server: getting credentials: exec: executable az failed with exit code 1\n");
  EXPECT_EQ(status.code(), Code::unauthenticated);
  EXPECT_NE(status.message().find("exec: executable az failed with exit code 1: AADSTS70043: The refresh token has "
                                  "expired; log in to your cluster"),
            std::string::npos)
      << status.message();
}

TEST(KubectlWords, KubectlThatIsLate_IsQuoted) {
  const Status silent = kubectl_is_late("get", std::chrono::seconds(30), "");
  EXPECT_EQ(silent.code(), Code::unavailable);
  EXPECT_NE(silent.message().find("within 30 s; the cluster's API server may be slow or down"), std::string::npos);
  EXPECT_TRUE(silent.message().ends_with("(muster explain E1653)")) << silent.message();
  const Status login =
      kubectl_is_late("get", std::chrono::seconds(30),
                      "Go to this address in your browser:\n\n    https://login.example\n\nEnter the code: ");
  EXPECT_EQ(login.code(), Code::unavailable);
  EXPECT_NE(login.message().find("it printed: Go to this address in your browser: https://login.example Enter the "
                                 "code:; if it waits for a login"),
            std::string::npos)
      << login.message();
}

TEST(KubectlWords, PlaceFlags_PrecedeTheProgram) {
  EXPECT_EQ(kubectl_arguments({"prod", "team"}, {"exec", "a", "--", "ls"}),
            (std::vector<std::string>{"--context=prod", "--namespace=team", "exec", "a", "--", "ls"}));
  EXPECT_EQ(kubectl_arguments({}, {"get", "pods"}), (std::vector<std::string>{"get", "pods"}));
}

TEST(KubectlWords, LongWords_AreCutBetweenCharacters) {
  std::string long_words(599, 'x');
  for (int i = 0; i < 100; ++i) long_words += "é";
  const std::string cut = kubectl_sentence(long_words);
  EXPECT_EQ(cut, std::string(599, 'x') + "…");
}

}  // namespace
}  // namespace muster
