// SPDX-License-Identifier: Apache-2.0
// Jobs and JobSets, translated.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/job/failure_rule.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

TEST(JobSet, SuccessOfAnUnknownReplicatedJob_IsReportedAtItsName) {
  const std::string text =
      manifest("jobset.x-k8s.io/v1alpha2", "JobSet",
               "  successPolicy: {targetReplicatedJobs: [nope]}\n  replicatedJobs:\n    - {name: a, template: "
               "{spec: {template: {spec: {containers: [{name: a, command: [./x]}]}}}}}\n");
  EXPECT_EQ(translated(text).told(), "E1806 5:42 there is no replicated job `nope`\n");
}

TEST(IndexedJob, TorchrunReadsItsNumberOfProcessesFromTheEnvironment) {
  const Translated job = translated(manifest(
      "batch/v1", "Job",
      "  template: {spec: {containers: [{name: a, command: [torchrun, t.py], env: [{name: PET_NPROC_PER_NODE, value: "
      "\"4\"}]}]}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().workers, (AutoCount{false, 4}));
}

TEST(IndexedJob, PodsLearnTheirIndex) {
  const Translated job =
      translated(manifest("batch/v1", "Job",
                          "  completionMode: Indexed\n  parallelism: 3\n  completions: 3\n  backoffLimit: 2\n"
                          "  template: {spec: {restartPolicy: Never, containers: [{name: x, command: [./x]}]}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().max_nodes, 3u);
  EXPECT_EQ(job.spec.restarts.limit, 2u);
  EXPECT_EQ(job.spec.custom.at("JOB_COMPLETION_INDEX"), "${group_node}");
  std::string not_indexed =
      manifest("batch/v1", "Job", "  template: {spec: {containers: [{name: a, command: [./x]}]}}\n");
  EXPECT_TRUE(translated(not_indexed).spec.custom.empty());
}

TEST(IndexedJob, NameThatIsTooLongForMuster_IsShortenedAndNoted) {
  const auto named = [](const std::string& name) {
    return translated("apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
                      "}\nspec: {template: {spec: {containers: [{name: x, command: [./x]}]}}}\n");
  };
  const Translated job = named("onjobfailurereasons-podfailurepolicy-example");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.name, "onjobfailurereasons-podfailurepolicy-exa");
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_EQ(named("mnist.v2").spec.name, "mnist-v2");
  EXPECT_EQ(named("My_Job").told().substr(0, 5), "E1205");
}

TEST(IndexedJob, FewerPodsAtATimeThanCompletions_IsRefused) {
  EXPECT_EQ(translated(manifest("batch/v1", "Job",
                                "  parallelism: 1\n  completions: 3\n"
                                "  template: {spec: {containers: [{name: x, command: [./x]}]}}\n"))
                .told()
                .substr(0, 5),
            "E1803");
}

TEST(JobSet, FieldOfTheWrongType_IsReportedAsTheClusterDoes) {
  const auto told = [](const std::string& of_spec, const std::string& of_job, const std::string& metadata) {
    return translated(manifest("jobset.x-k8s.io/v1alpha2", "JobSet",
                               "  " + of_spec + "\n  replicatedJobs: [{name: a, " + of_job + "template: {metadata: {" +
                                   metadata +
                                   "}, spec: {template: {spec: {containers: [{name: a, command: [./x]}]}}}}}]\n"))
        .told();
  };
  EXPECT_EQ(told("network: {subdomain: a}", "dependsOn: [{name: b, status: Ready}], ", "labels: {a: b}"), "");
  EXPECT_EQ(told("network: [a]", "", ""), "E1802 5:12 `spec.network` must be a map, and this is a list\n");
  EXPECT_EQ(told("", "dependsOn: b, ", ""),
            "E1802 6:41 `spec.replicatedJobs.dependsOn` must be a list of maps, and this is a text\n");
  EXPECT_EQ(told("volumeClaimPolicies: {}", "", ""),
            "E1802 5:24 `spec.volumeClaimPolicies` must be a list of maps, and this is a map\n");
  EXPECT_EQ(told("failurePolicy: {rules: [{name: a, action: FailJobSet, onJobFailureMessagePatterns: x}]}", "", "")
                .substr(0, 10),
            "E1802 5:86");
  EXPECT_EQ(told("", "", "labels: {a: 1}").substr(0, 6), "E1802 ");
  EXPECT_EQ(told("", "", "labls: {a: b}").substr(0, 6), "E1801 ");
}

TEST(JobSet, WithTorchrunAndHostNames_MeetsAtTheFirstRank) {
  const std::string set = manifest(
      "jobset.x-k8s.io/v1alpha2", "JobSet",
      "  failurePolicy: {maxRestarts: 3}\n  replicatedJobs:\n    - name: workers\n      replicas: 1\n"
      "      template: {spec: {parallelism: 4, completions: 4, template: {spec: {containers: [{name: x, "
      "env: [{name: MASTER_ADDR, value: mnist-workers-0-0.mnist}, {name: IDX, valueFrom: {fieldRef: {fieldPath: "
      "\"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}}], command: COMMAND}]}}}}\n");
  const auto with = [&](const std::string& command) {
    std::string text = set;
    return translated(text.replace(text.find("COMMAND"), 7, command));
  };
  const Translated plain = with("[bash, run.sh]");
  ASSERT_EQ(plain.told(), "");
  EXPECT_EQ(plain.spec.restarts.limit, 3u);
  EXPECT_EQ(plain.group().max_nodes, 4u);
  EXPECT_EQ(plain.spec.custom.at("MASTER_ADDR"), "${master_address}");
  EXPECT_EQ(plain.spec.custom.at("IDX"), "${group_node}");
  const Translated torch = with("[torchrun, --nnodes=4, --nproc_per_node=2, \"--master_addr=$(MASTER_ADDR)\", t.py]");
  ASSERT_EQ(torch.told(), "");
  EXPECT_EQ(torch.spec.framework, Framework::torch);
  EXPECT_EQ(torch.group().workers, (AutoCount{false, 2}));
}

TEST(JobSet, TorchrunInOneOfTwoGroups_RunsAsInItsPod) {
  const auto group = [](const std::string& name, const std::string& command) {
    return "    - {name: " + name + ", template: {spec: {template: {spec: {containers: [{name: x, command: " + command +
           "}]}}}}}\n";
  };
  const Translated job = translated(manifest(
      "jobset.x-k8s.io/v1alpha2", "JobSet",
      "  replicatedJobs:\n" + group("a", "[torchrun, --nproc-per-node=2, t.py]") + group("b", "[tensorboard]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::custom);
  EXPECT_EQ(job.group(0).command, (std::vector<std::string>{"torchrun", "--nproc-per-node=2", "t.py"}));
}

TEST(IndexedJob, TorchrunWithoutNodes_TrainsInEachPodAlone) {
  const auto pods = [](const std::string& flag) {
    return translated(
        manifest("batch/v1", "Job",
                 "  parallelism: 2\n  completions: 2\n  template: {spec: {containers: [{name: x, command: "
                 "[torchrun, " +
                     flag + "--nproc-per-node=2, t.py]}]}}\n"));
  };
  EXPECT_EQ(pods("").spec.framework, Framework::custom);
  EXPECT_EQ(pods("").group().command.front(), "torchrun");
  EXPECT_EQ(pods("--nnodes=2, ").spec.framework, Framework::torch);
}

TEST(JobSet, SuccessOfAnyOfSeveralJobsWithSeveralPods_IsRefused) {
  EXPECT_EQ(
      translated(
          manifest("jobset.x-k8s.io/v1alpha2", "JobSet",
                   "  successPolicy: {operator: Any}\n  replicatedJobs:\n    - {name: a, replicas: 2, template: {spec: "
                   "{parallelism: 2, completions: 2, template: {spec: {containers: [{name: x, command: "
                   "[./x]}]}}}}}\n"))
          .told()
          .substr(0, 5),
      "E1803");
}

TEST(JobSet, SuccessPolicy_DoesNotWaitForOtherGroups) {
  const std::string job = "template: {spec: {template: {spec: {containers: [{name: x, command: [./x]}]}}}}";
  const Translated set = translated(
      manifest("jobset.x-k8s.io/v1alpha2", "JobSet",
               "  successPolicy: {operator: All, targetReplicatedJobs: [a]}\n  replicatedJobs:\n    - {name: a, " +
                   job + "}\n    - {name: b, " + job + "}\n"));
  ASSERT_EQ(set.told(), "");
  EXPECT_EQ(set.group(0).success, SuccessRule::all);
  EXPECT_EQ(set.group(1).success, SuccessRule::background);
}

TEST(JobSet, GlobalIndex_CountsTheJobsOfAllGroups) {
  const std::string index =
      "env: [{name: G, valueFrom: {fieldRef: {fieldPath: "
      "\"metadata.labels['jobset.sigs.k8s.io/job-global-index']\"}}}]";
  const auto jobs = [&](const std::string& pods_of_b) {
    return translated(manifest(
        "jobset.x-k8s.io/v1alpha2", "JobSet",
        "  replicatedJobs:\n    - {name: a, replicas: 2, template: {spec: {template: {spec: {containers: [{name: x, "
        "command: [./x]}]}}}}}\n    - {name: b, replicas: 2, template: {spec: {parallelism: " +
            pods_of_b + ", completions: " + pods_of_b + ", template: {spec: {containers: [{name: x, command: [./x], " +
            index + "}]}}}}}\n"));
  };
  EXPECT_EQ(jobs("1").spec.custom.at("G"), "${node}");
  EXPECT_EQ(jobs("2").told().substr(0, 5), "E1803");
}

TEST(JobSet, TorchrunWithoutANumber_StartsOneProcess) {
  const Translated job = translated(
      manifest("jobset.x-k8s.io/v1alpha2", "JobSet",
               "  replicatedJobs:\n    - {name: a, template: {spec: {template: {spec: {containers: [{name: x, command: "
               "[torchrun, t.py], resources: {limits: {cpu: 4}}}]}}}}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().workers, (AutoCount{false, 1}));
}

// A replicated job with one container: `more` are entries of its map.
std::string replicated(const std::string& name, const std::string& command, const std::string& more = "",
                       const std::string& counts = "") {
  return "    - {name: " + name + ", template: {spec: {" + counts +
         "template: {spec: {containers: [{name: x, command: " + command + more + "}]}}}}}\n";
}

Translated job_set(const std::string& jobs, const std::string& more = "") {
  return translated(manifest("jobset.x-k8s.io/v1alpha2", "JobSet", more + "  replicatedJobs:\n" + jobs));
}

TEST(JobSet, HostNameOfTheFirstPodInLargerTexts_IsTheAddressOfTheFirstRank) {
  const Translated job = job_set(replicated(
      "node",
      "[./x, --addr=mnist-node-0-0.mnist, \"tcp://mnist-node-0-0.mnist.default.svc.cluster.local:29500\", "
      "mnist-node-0-0.log, xmnist-node-0-0.mnist, mnist-node-0-01.mnist]",
      ", env: [{name: MADDR, value: mnist-node-0-0.mnist}, {name: URL, value: \"$$@$(MADDR):29500\"}, {name: "
      "SHORT, value: \"mnist-node-0-0:1\"}, {name: RUN, value: run-of-mnist-node-0-0}]"));
  ASSERT_EQ(job.told(), "");
  const std::string address = "${master_address}";
  EXPECT_EQ(job.spec.custom.at("MADDR"), address);
  EXPECT_EQ(job.spec.custom.at("URL"), "$$@" + address + ":29500");
  EXPECT_EQ(job.spec.custom.at("SHORT"), address + ":1");
  EXPECT_EQ(job.spec.env.at("RUN").literal, "run-of-mnist-node-0-0");
  EXPECT_EQ(job.spec.custom.at("FIRST_POD_ADDRESS"), address);
  const std::string by_shell = "\"${FIRST_POD_ADDRESS-\\$(FIRST_POD_ADDRESS)}\"";
  EXPECT_EQ(job.group().command.back(), "exec ./x --addr=" + by_shell + " tcp://" + by_shell +
                                            ":29500 mnist-node-0-0.log xmnist-node-0-0.mnist mnist-node-0-01.mnist");
}

TEST(JobSet, HostNamesOfOtherPods_AreNoted) {
  const std::string jobs = replicated("node", "[./x, mnist-node-0-1.mnist]", "", "parallelism: 2, completions: 2, ");
  const Translated job = job_set(jobs);
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("`mnist-node-0-1` is the host name of a pod"), std::string::npos) << job.notes[0];
}

TEST(JobSet, TorchrunInTwoGroupsOfOnePod_CountsTheNodesOfBoth) {
  const std::string command = "[torchrun, --nnodes=2, --nproc-per-node=2, ";
  const Translated job = job_set(replicated("a", command + "a.py]") + replicated("b", command + "b.py]"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::torch);
  EXPECT_EQ(job.group(1).workers, (AutoCount{false, 2}));
  const std::string three = "[torchrun, --nnodes=3, a.py]";
  EXPECT_EQ(job_set(replicated("a", three) + replicated("b", three)).told().substr(0, 5), "E1806");
}

TEST(JobSet, LeaderAndSeveralWorkerJobs_AreRead) {
  const auto workers = [](const std::string& container) {
    std::string jobs = replicated("workers", "[./b, \"$(JOB_COMPLETION_INDEX)\"]", container);
    return job_set(replicated("leader", "[./a]") + jobs.insert(jobs.find("template"), "replicas: 2, "));
  };
  const Translated job = workers("");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("JOB_COMPLETION_INDEX"), "${group_node}");
  EXPECT_FALSE(job.group(0).env.contains("JOB_COMPLETION_INDEX"));
  EXPECT_EQ(job.group(1).max_nodes, 2u);
  EXPECT_EQ(job.group(1).env.at("JOB_COMPLETION_INDEX").literal, "0");
  EXPECT_EQ(job.group(1).command[2], "exec ./b \"${JOB_COMPLETION_INDEX-\\$(JOB_COMPLETION_INDEX)}\"");
  const Translated named = workers(", env: [{name: JOB_COMPLETION_INDEX, value: \"7\"}]");
  ASSERT_EQ(named.told(), "");
  EXPECT_EQ(named.group(1).env.at("JOB_COMPLETION_INDEX").literal, "7");
  EXPECT_EQ(named.spec.custom.at("JOB_COMPLETION_INDEX"), "${group_node}");
}

TEST(JobSet, SuccessOfAnyJob_IsThatOfAllPodsIfThereIsOneJob) {
  const std::string any = "  successPolicy: {operator: Any, targetReplicatedJobs: [a]}\n";
  const std::string two_pods = "parallelism: 2, completions: 2, ";
  const Translated one = job_set(replicated("a", "[./x]", "", two_pods) + replicated("b", "[./x]"), any);
  ASSERT_EQ(one.told(), "");
  EXPECT_EQ(one.group(0).success, SuccessRule::all);
  EXPECT_EQ(one.group(1).success, SuccessRule::background);
  const Translated ranks = job_set(replicated("a", "[torchrun, --nproc-per-node=2, a.py]"), any);
  ASSERT_EQ(ranks.told(), "");
  EXPECT_EQ(ranks.group().success, SuccessRule::all);
}

// The rules of `restarts` of a JobSet with two groups: "never_on: …, always_on: …".
std::string restart_rules(const std::string& rules, const std::string& of_pods = "") {
  const Translated job = job_set(replicated("a", "[./x]", "", of_pods) + replicated("b", "[./x]"),
                                 "  failurePolicy: {maxRestarts: 3, rules: [" + rules + "]}\n");
  std::string text = job.told();
  for (const FailureRule& rule : job.spec.restarts.never_on) text += "never " + to_string(rule) + "\n";
  for (const FailureRule& rule : job.spec.restarts.always_on) text += "always " + to_string(rule) + "\n";
  return text;
}

TEST(JobSet, RulesOfItsFailurePolicy_AreRulesOfRestarts) {
  EXPECT_EQ(restart_rules("{action: FailJobSet, targetReplicatedJobs: [a]}"), "never group a\n");
  EXPECT_EQ(restart_rules("{action: RestartJobSet, targetReplicatedJobs: [a]}"), "");
  EXPECT_EQ(restart_rules("{action: RestartJobSetAndIgnoreMaxRestarts}"), "always group a\nalways group b\n");
  EXPECT_EQ(restart_rules("{action: RestartJobSet, targetReplicatedJobs: [b]}, {action: FailJobSet}"),
            "never group a\n");
  EXPECT_EQ(restart_rules("{action: FailJobSet, onJobFailureReasons: [DeadlineExceeded]}"), "");
  EXPECT_EQ(restart_rules("{action: FailJobSet, onJobFailureMessagePatterns: [x]}").substr(0, 5), "E1803");
}

TEST(JobSet, PodFailurePolicy_NamesTheFailuresOfARule) {
  const auto policy = [](const std::string& rule) { return "podFailurePolicy: {rules: [" + rule + "]}, "; };
  const std::string disruption = policy("{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}");
  const std::string codes = policy("{action: FailJob, onExitCodes: {operator: In, values: [1, 3]}}");
  const std::string always = "{action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: [PodFailurePolicy]}";
  EXPECT_EQ(restart_rules(always, disruption), "always group a lost\n");
  EXPECT_EQ(restart_rules(always, codes), "always group a exit 1\nalways group a exit 3\n");
  EXPECT_EQ(restart_rules("{action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}", codes),
            "never group a exit 1\nnever group a exit 3\n");
  EXPECT_EQ(restart_rules(always + ", {action: FailJobSet}", codes).substr(0, 5), "E1803");
  EXPECT_EQ(restart_rules("", policy("{action: FailIndex, onExitCodes: {operator: In, values: [1]}}")).substr(0, 5),
            "E1803");
  EXPECT_EQ(restart_rules("", policy("{action: Ignore, onExitCodes: {operator: NotIn, values: [1]}}")).substr(0, 5),
            "E1803");
}

TEST(JobSet, FirstRuleOfPodFailurePolicy_Wins) {
  const auto policy = [](const std::string& rules) { return "podFailurePolicy: {rules: [" + rules + "]}, "; };
  const auto on = [](const std::string& action, const std::string& codes) {
    return "{action: " + action + ", onExitCodes: {operator: In, values: [" + codes + "]}}";
  };
  const std::string fails = "{action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}";
  EXPECT_EQ(restart_rules(fails, policy(on("Count", "1") + ", " + on("FailJob", "1, 2"))), "never group a exit 2\n");
  EXPECT_EQ(restart_rules(fails, policy(on("Ignore", "3") + ", " + on("FailJob", "3"))), "always group a exit 3\n");
  EXPECT_EQ(restart_rules(fails, policy(on("FailJob", "137"))), "never group a exit 137\nnever group a SIGKILL\n");
}

TEST(JobSet, FailJobWithoutRestartsOfTheJobSet_EndsIt) {
  const Translated job = job_set(replicated(
      "a", "[./x]", "",
      "backoffLimit: 3, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}, "));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.restarts.limit, 3u);
  ASSERT_EQ(job.spec.restarts.never_on.size(), 1u);
  EXPECT_EQ(to_string(job.spec.restarts.never_on[0]), "group a exit 42");
}

TEST(JobSet, WordsThatItsRulesDoNotHave_AreReported) {
  for (const char* rule : {"{action: FailJobset}", "{action: FailJobSet, targetReplicatedJobs: [c]}",
                           "{action: FailJobSet, onJobFailureReasons: [BackofLimitExceeded]}"})
    EXPECT_EQ(restart_rules(rule).substr(0, 5), "E1802") << rule;
  EXPECT_EQ(restart_rules("", "podFailurePolicy: {rules: [{action: Fail}]}, ").substr(0, 5), "E1802");
}

TEST(JobSet, RuleForAJobWithRestartsOfItsOwn_IsNoted) {
  const Translated job = job_set(replicated("a", "[./x]", "", "backoffLimit: 3, "),
                                 "  failurePolicy: {maxRestarts: 1, rules: [{action: FailJobSet}]}\n");
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("acts on the first failure"), std::string::npos) << job.notes[0];
}

// Its Jobs become one, which need not fit into one domain.
TEST(JobSet, ExclusivePlacementOfSeveralJobs_IsNoted) {
  const auto placed = [](const char* replicas) {
    return in_cluster(manifest(
        "jobset.x-k8s.io/v1alpha2", "JobSet",
        std::string("  replicatedJobs:\n    - name: a\n      replicas: ") + replicas +
            "\n      template: {metadata: {annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}}, spec: "
            "{parallelism: 2, completions: 2, template: {spec: {containers: [{name: x, image: i, command: "
            "[./x]}]}}}}\n"));
  };
  const auto noted = [](const Translated& job) {
    return std::count_if(job.notes.begin(), job.notes.end(), [](const std::string& note) {
      return note.find("exclusive-topology` has no effect") != std::string::npos;
    });
  };
  EXPECT_EQ(noted(placed("4")), 1);
  EXPECT_EQ(noted(placed("1")), 0);
  EXPECT_EQ(placed("4").told(), "");
}

TEST(IndexedJob, PodFailurePolicy_IsRulesOfRestarts) {
  const Translated job = translated(manifest(
      "batch/v1", "Job",
      "  backoffLimit: 2\n  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}, "
      "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}\n"
      "  template: {spec: {containers: [{name: x, command: [./x]}]}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(to_string(job.spec.restarts.never_on.at(0)), "exit 42");
  EXPECT_EQ(to_string(job.spec.restarts.always_on.at(0)), "lost");
}

}  // namespace
}  // namespace muster
