// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/job/failure_rule.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

const std::string kTrain = "name: pytorch, command: [python, train.py]";

TEST(PyTorchJob, MasterAndWorkersWithOneTemplate_AreOneGroup) {
  const Translated job = translated(pytorch(replica("Master", 1, kTrain) + replica("Worker", 3, kTrain)));
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.spec.groups.size(), 1u);
  EXPECT_EQ(job.group().max_nodes, 4u);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 1}));
  EXPECT_EQ(job.spec.framework, Framework::torch);
}

TEST(PyTorchJob, MasterAndWorkersWithTwoTemplates_AreOneWorld) {
  const Translated job = translated(
      pytorch(replica("Master", 1, kTrain) + replica("Worker", 2, "name: pytorch, command: [python, w.py]")));
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.spec.groups.size(), 2u);
  EXPECT_EQ(job.spec.world, World::shared);
  EXPECT_EQ(job.group(0).name, "master");
  EXPECT_EQ(job.group(1).command, (Words{"python", "w.py"}));
}

TEST(PyTorchJob, ElasticPolicy_IsARangeOfNodes) {
  const Translated job = translated(pytorch(
      replica("Worker", 2, "name: pytorch, command: [torchrun, t.py]"),
      "  elasticPolicy: {minReplicas: 1, maxReplicas: 3, maxRestarts: 5, nProcPerNode: 2, rdzvBackend: c10d}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().min_nodes, 1u);
  EXPECT_EQ(job.group().max_nodes, 2u);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
  EXPECT_EQ(job.spec.restarts.limit, 5u);
  ASSERT_EQ(job.notes.size(), 2u);
  EXPECT_NE(job.notes[1].find("`maxReplicas: 3` has no effect: the job has at most 2 nodes"), std::string::npos);
}

TEST(PyTorchJob, MaxReplicasBelowReplicas_IsReported) {
  const auto told = [](const std::string& policy) {
    return translated(pytorch(replica("Worker", 3, "name: pytorch, command: [torchrun, t.py]"),
                              "  elasticPolicy: {" + policy + "}\n"))
        .told();
  };
  EXPECT_EQ(told("maxReplicas: 1"), "E1802 5:18 replicas 3 is greater than maxReplicas 1\n");
  EXPECT_EQ(told("maxReplicas: 1, minReplicas: null"), "E1802 5:18 replicas 3 is greater than maxReplicas 1\n");
  EXPECT_EQ(told("maxReplicas: 1, minReplicas: 2"), "E1802 5:48 minReplicas is greater than maxReplicas\n");
}

TEST(PyTorchJob, RunPolicyAndRestartPolicy_AreLimitsOfTheJob) {
  const Translated job = translated(pytorch(replica("Worker", 1, kTrain, ", restartPolicy: ExitCode"),
                                            "  nprocPerNode: \"2\"\n  runPolicy: {activeDeadlineSeconds: 60, "
                                            "backoffLimit: 4, cleanPodPolicy: Running, suspend: true}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.restarts.limit, 4u);
  ASSERT_EQ(job.spec.restarts.never_on.size(), 127u);
  EXPECT_EQ(job.spec.restarts.never_on.front().number, 1);
  EXPECT_EQ(job.spec.timeouts.run, std::chrono::seconds(60));
  EXPECT_TRUE(job.spec.hold);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
}

TEST(PyTorchJob, RunPolicyInACluster_SetsQueueAndPriority) {
  const Translated job = in_cluster(
      pytorch(replica("Worker", 1, kTrain + ", image: a"),
              "  runPolicy: {ttlSecondsAfterFinished: 30, schedulingPolicy: {queue: team, priorityClass: high}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.queue, "team");
  EXPECT_EQ(job.spec.kubernetes.priority_class, "high");
  EXPECT_EQ(job.spec.kubernetes.ttl, std::chrono::seconds(30));
}

TEST(PyTorchJob, VariablesOfTheOperator_ReplaceThoseOfTheContainer) {
  const Translated job = translated(pytorch(replica(
      "Worker", 2, "name: pytorch, command: [./run], env: [{name: WORLD_SIZE, value: \"7\"}, {name: A, value: a}]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("WORLD_SIZE"), "${world_size}");
  EXPECT_FALSE(job.spec.env.contains("WORLD_SIZE"));
  EXPECT_EQ(job.spec.env.at("A").literal, "a");
  ASSERT_EQ(job.notes.size(), 1u);
}

TEST(MpiJob, LauncherOfV2beta1_IsRestartedAsAJob) {
  const auto limit = [](const std::string& version) {
    return translated(
               manifest(version, "MPIJob",
                        "  mpiReplicaSpecs:\n" +
                            replica("Launcher", 1, "name: l, command: [mpirun, ./pi]", ", restartPolicy: OnFailure") +
                            replica("Worker", 1, "name: w")))
        .spec.restarts.limit;
  };
  EXPECT_EQ(limit("kubeflow.org/v2beta1"), 6u);
  EXPECT_EQ(limit("kubeflow.org/v1"), 1'000'000u);
}

TEST(ReplicaJob, PodsWithDifferentImages_AreDifferentGroups) {
  const std::string text =
      pytorch(replica("Master", 1, kTrain + ", image: a") + replica("Worker", 1, kTrain + ", image: b"));
  EXPECT_EQ(translated(text).spec.groups.size(), 1u);
  EXPECT_EQ(translated(text, {.in_image = kImageOfManifest}).spec.groups.size(), 2u);
}

TEST(PyTorchJob, ManagedByAnotherController_IsRefused) {
  EXPECT_EQ(translated(pytorch(replica("Worker", 1, kTrain), "  runPolicy: {managedBy: kueue.x-k8s.io/multikueue}\n"))
                .told()
                .substr(0, 5),
            "E1803");
}

TEST(PyTorchJob, ArgsWithoutCommand_AreRefused) {
  EXPECT_EQ(translated(pytorch(replica("Worker", 1, "name: pytorch, image: a, args: [--x]"))).told(),
            "E1806 6:90 `args` without `command` are for the entry point of the image, which muster does not know\n");
}

TEST(PyTorchJob, ATypedCommand_TakesThePlaceOfTheEntryPoint) {
  const ManifestPlace place{.typed_command = {"python", "mnist.py"}};
  const Translated job = translated(pytorch(replica("Worker", 1, "name: pytorch, image: a, args: [--x]")), place);
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command, (Words{"python", "mnist.py", "--x"}));
  EXPECT_EQ(translated(pytorch(replica("Worker", 1, kTrain)), place).group().command, (Words{"python", "mnist.py"}));
}

TEST(PyTorchJob, ElasticPolicyInACluster_HasAFixedSize) {
  const Translated job = in_cluster(pytorch(replica("Worker", 2, kTrain), "  elasticPolicy: {maxReplicas: 3}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().min_nodes, 2u);
  EXPECT_EQ(job.group().max_nodes, 2u);
}

TEST(MpiJob, ArgsOfAnImageThatStartsThem_AreTheCommand) {
  const Translated job = translated(manifest("kubeflow.org/v2beta1", "MPIJob",
                                             "  mpiImplementation: MPICH\n  mpiReplicaSpecs:\n" +
                                                 replica("Launcher", 1, "name: l, args: [mpirun, -n, \"2\", ./pi]") +
                                                 replica("Worker", 2, "name: w, args: [/usr/sbin/sshd, -De]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command, (Words{"./pi"}));
  EXPECT_EQ(job.group().max_nodes, 2u);
}

TEST(PyTorchJob, SecondContainer_IsRefused) {
  EXPECT_EQ(translated(pytorch(replica("Worker", 1, kTrain + "}, {name: side, command: [x]"))).told().substr(0, 5),
            "E1803");
}

TEST(JaxJob, GetsTheVariablesOfItsOperator) {
  const Translated job =
      translated(manifest("kubeflow.org/v1", "JAXJob",
                          "  jaxReplicaSpecs:\n" + replica("Worker", 2, "name: jax, command: [python, j.py]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::custom);
  EXPECT_EQ(job.spec.custom.at("NUM_PROCESSES"), "${world_size}");
  EXPECT_EQ(job.spec.custom.at("COORDINATOR_ADDRESS"), "${master_address}");
}

TEST(XgboostAndPaddleJobs, GetTheVariablesOfTheirOperator) {
  const Translated xgboost =
      translated(manifest("kubeflow.org/v1", "XGBoostJob",
                          "  xgbReplicaSpecs:\n" + replica("Master", 1, "name: xgboost, command: [python, x.py]") +
                              replica("Worker", 2, "name: xgboost, command: [python, x.py]")));
  ASSERT_EQ(xgboost.told(), "");
  EXPECT_EQ(xgboost.group().max_nodes, 3u);
  EXPECT_EQ(xgboost.spec.custom.at("RANK"), "${rank}");
  const Translated paddle = translated(
      manifest("kubeflow.org/v1", "PaddleJob",
               "  paddleReplicaSpecs:\n" +
                   replica("Worker", 2, "name: paddle, command: [python, -m, paddle.distributed.launch, p.py]")));
  ASSERT_EQ(paddle.told(), "");
  EXPECT_EQ(paddle.spec.custom.at("PADDLE_MASTER"), "${master_address}:${master_port}");
}

std::string mpi(const std::string& more, const std::string& command) {
  return manifest("kubeflow.org/v2beta1", "MPIJob",
                  more + "  mpiReplicaSpecs:\n" + replica("Launcher", 1, "name: l, command: " + command) +
                      replica("Worker", 2, "name: w, resources: {limits: {cpu: 4}}"));
}

TEST(MpiJob, LauncherWithMpirun_BecomesRanksOnTheWorkers) {
  const Translated job =
      translated(mpi("  slotsPerWorker: 2\n", "[mpirun, -n, \"4\", --mca, btl, tcp, /home/mpiuser/pi]"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::mpi);
  EXPECT_EQ(job.group().command, (Words{"/home/mpiuser/pi"}));
  EXPECT_EQ(job.group().max_nodes, 2u);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
  EXPECT_EQ(job.group().worker.cpus, 2u);
  EXPECT_EQ(job.spec.env.at("OMPI_MCA_btl").literal, "tcp");
}

TEST(MpiJob, FewerRanksThanSlots_FillTheFirstNodes) {
  const Translated job =
      translated(mpi("  slotsPerWorker: 4\n  mpiImplementation: Intel\n", "[mpirun, -n, \"2\", ./pi]"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().max_nodes, 1u);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
}

TEST(MpiJob, LauncherAsWorker_HasRanksToo) {
  EXPECT_EQ(translated(mpi("  runLauncherAsWorker: true\n", "[mpirun, ./pi]")).group().max_nodes, 3u);
}

TEST(MpiJob, MoreRanksThanFit_AreReported) {
  EXPECT_EQ(translated(mpi("", "[mpirun, -n, \"5\", ./pi]")).told().substr(0, 5), "E1806");
}

TEST(Variables, FromConfigMapsAndSecretsBesideTheJob_HaveTheirValues) {
  const std::string pod = replica("Worker", 1,
                                  "name: pytorch, command: [python, t.py], envFrom: [{configMapRef: {name: c}}], env: "
                                  "[{name: T, valueFrom: {secretKeyRef: {name: s, key: k}}}]");
  const std::string beside =
      "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {A: \"1\"}\n"
      "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: c2VjcmV0}\n";
  const Translated job = translated(pytorch(pod) + beside);
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.env.at("A").literal, "1");
  EXPECT_EQ(job.spec.env.at("T").secret, (SecretSource{SecretSource::Kind::manifest, "T", false}));
  EXPECT_EQ(job.secrets, (std::map<std::string, std::string>{{"T", "secret"}}));
  const Translated alone = translated(pytorch(pod));
  ASSERT_EQ(alone.problems.size(), 2u) << alone.told();
  EXPECT_EQ(alone.problems[0].code, "E1807");
  const Translated there = in_cluster(pytorch(pod));
  EXPECT_EQ(there.told(), "");
  EXPECT_NE(there.spec.kubernetes.patch.find("secretKeyRef"), std::string::npos);
}

TEST(PyTorchJob, AScriptInOneReplica_RunsAllReplicasAsInTheirPods) {
  const Translated job =
      translated(pytorch(replica("Master", 1, kTrain) +
                         replica("Worker", 2, "name: pytorch, command: [bash, -c, \"cd x && torchrun t.py\"]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::custom);
  EXPECT_EQ(job.group(0).command, (Words{"python", "train.py"}));
  EXPECT_EQ(job.spec.custom.at("RANK"), "${rank}");
  EXPECT_EQ(job.spec.custom.at("PET_NNODES"), "${nodes}");
}

TEST(PyTorchJob, MasterAndWorkersWithVolumesInACluster_AreOneGroupWithOnePatch) {
  const std::string pod =
      ", template: {metadata: {annotations: {a: b}}, spec: {containers: [{" + kTrain +
      ", image: a, volumeMounts: [{name: d, mountPath: /d}]}], volumes: [{name: d, emptyDir: {}}]}}}\n";
  const Translated job = in_cluster(pytorch("    Master: {replicas: 1" + pod + "    Worker: {replicas: 3" + pod));
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.spec.groups.size(), 1u);
  EXPECT_EQ(job.group().max_nodes, 4u);
  const std::string& patch = job.spec.kubernetes.patch;
  EXPECT_NE(patch.find("\"name\":\"worker\""), std::string::npos) << patch;
  EXPECT_EQ(patch.find("\"name\":\"master\""), std::string::npos) << patch;
  std::string other = pod;
  other.replace(other.find("a: b"), 4, "a: c");
  EXPECT_EQ(
      in_cluster(pytorch("    Master: {replicas: 1" + pod + "    Worker: {replicas: 3" + other)).spec.groups.size(),
      2u);
}

TEST(MpiJob, InACluster_RunsInThePodsOfTheWorkers) {
  const std::string text = manifest(
      "kubeflow.org/v2beta1", "MPIJob",
      "  mpiReplicaSpecs:\n    Launcher: {template: {spec: {nodeSelector: {a: launcher}, volumes: [{name: d, emptyDir: "
      "{}}], containers: [{name: l, image: small, command: [mpirun, -np, \"2\", ./pi], env: [{name: A, value: "
      "\"1\"}], volumeMounts: [{name: d, mountPath: /d}]}]}}}\n    Worker: {replicas: 2, template: {spec: "
      "{nodeSelector: {a: worker}, tolerations: [{key: gpu, operator: Exists}], containers: [{name: w, image: large, "
      "env: [{name: B, value: \"2\"}], securityContext: {runAsUser: 7}}]}}}\n");
  const Translated job = in_cluster(text);
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().kubernetes.image, "large");
  EXPECT_EQ(job.group().kubernetes.node_selector.at("a"), "worker");
  EXPECT_EQ(job.spec.env.at("A").literal, "1");
  EXPECT_EQ(job.spec.env.at("B").literal, "2");
  EXPECT_NE(job.spec.kubernetes.patch.find("\"runAsUser\":7"), std::string::npos) << job.spec.kubernetes.patch;
  EXPECT_EQ(job.spec.kubernetes.patch.find("/d"), std::string::npos) << job.spec.kubernetes.patch;
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("the launcher's pod are not used"), std::string::npos) << job.notes[0];
}

std::string tf(const std::string& replicas, const std::string& more = "") {
  return manifest("kubeflow.org/v1", "TFJob", more + "  tfReplicaSpecs:\n" + replicas);
}

TEST(TfJob, SuccessRules_AreThoseOfTheOperator) {
  const std::string train = "name: tensorflow, image: a, command: [python, t.py]";
  const std::string workers = replica("Worker", 2, train);
  const auto rule = [](const std::string& text, size_t group) { return translated(text).group(group).success; };
  const std::string with_chief = replica("Chief", 1, train) + workers + replica("PS", 1, train);
  EXPECT_EQ(rule(tf(with_chief), 0), SuccessRule::all);
  EXPECT_EQ(rule(tf(with_chief), 1), SuccessRule::background);
  EXPECT_EQ(rule(tf(with_chief), 2), SuccessRule::background);
  EXPECT_EQ(rule(tf(workers), 0), SuccessRule::first);
  EXPECT_EQ(rule(tf(workers, "  successPolicy: AllWorkers\n"), 0), SuccessRule::all);
}

TEST(TfJob, MasterInACluster_IsTheChiefWithItsPatch) {
  const Translated job = in_cluster(
      tf(replica("Master", 1, "name: tensorflow, image: a, command: [python, t.py], securityContext: {runAsUser: 7}")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().name, "chief");
  EXPECT_NE(job.spec.kubernetes.patch.find("\"name\":\"chief\""), std::string::npos) << job.spec.kubernetes.patch;
}

TEST(XgboostAndPaddleJobs, GetTheVariablesOfWorkersAndServers) {
  const std::string boost =
      manifest("kubeflow.org/v1", "XGBoostJob",
               "  xgbReplicaSpecs:\n" + replica("Master", 1, "name: xgboost, image: a, command: [x]") +
                   replica("Worker", 2, "name: xgboost, image: a, command: [x]"));
  EXPECT_EQ(translated(boost).spec.custom.at("WORKER_ADDRS"), "${worker_addresses}");
  EXPECT_EQ(translated(boost).spec.custom.at("WORKER_PORT"), "${port}");
  EXPECT_EQ(in_cluster(boost).spec.custom.at("WORKER_PORT"), "9999");
  const Translated paddle =
      translated(manifest("kubeflow.org/v1", "PaddleJob",
                          "  paddleReplicaSpecs:\n" + replica("Master", 1, "name: paddle, image: a, command: [x]") +
                              replica("Worker", 2, "name: paddle, image: a, command: [x]")));
  ASSERT_EQ(paddle.told(), "");
  ASSERT_EQ(paddle.spec.groups.size(), 2u);
  EXPECT_EQ(paddle.group(0).env.at("PADDLE_SERVER_NUM").literal, "1");
  EXPECT_EQ(paddle.group(1).env.at("PADDLE_TRAINER_NUM").literal, "1");
}

// The rules of `restarts.never_on` of a PyTorchJob with these policies of master and workers.
std::vector<FailureRule> never_on(const std::string& master, const std::string& worker) {
  const std::string container = "name: pytorch, command: [python, t.py]";
  const Translated job = translated(pytorch(replica("Master", 1, container, ", restartPolicy: " + master) +
                                            replica("Worker", 2, container, ", restartPolicy: " + worker)));
  EXPECT_EQ(job.told(), "");
  EXPECT_GT(job.spec.restarts.limit, 1000u);
  return job.spec.restarts.never_on;
}

TEST(PyTorchJob, DifferentRestartPolicies_AreRulesForTheirGroups) {
  EXPECT_TRUE(never_on("OnFailure", "Always").empty());
  const auto master = never_on("Never", "OnFailure");
  ASSERT_EQ(master.size(), 1u);
  EXPECT_EQ(to_string(master[0]), "group master");
  const auto codes = never_on("OnFailure", "ExitCode");
  ASSERT_EQ(codes.size(), 127u);
  EXPECT_EQ(to_string(codes[1]), "group worker exit 2");
  EXPECT_EQ(never_on("ExitCode", "ExitCode")[1].group, "");
}

TEST(PyTorchJob, RoleWithoutARestartPolicy_RestartsAsTheOthers) {
  const std::string container = "name: pytorch, command: [python, t.py]";
  const Translated job = translated(
      pytorch(replica("Master", 1, container) + replica("Worker", 2, container, ", restartPolicy: OnFailure")));
  ASSERT_EQ(job.told(), "");
  EXPECT_GT(job.spec.restarts.limit, 1000u);
  EXPECT_TRUE(job.spec.restarts.never_on.empty());
}

TEST(PyTorchJob, HostNameInAScript_IsReplacedToo) {
  const Translated job = translated(pytorch(
      replica("Master", 1, "name: pytorch, command: [sh, -c, \"python t.py --url mnist-master-0:29500 | tee log\"]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("FIRST_POD_ADDRESS"), "${master_address}");
}

TEST(MpiJob, RestartPolicyOfTheWorkers_HasNoEffectAndIsNoted) {
  const Translated job = translated(manifest(
      "kubeflow.org/v2beta1", "MPIJob",
      "  mpiReplicaSpecs:\n" + replica("Launcher", 1, "name: l, command: [mpirun, ./x]", ", restartPolicy: OnFailure") +
          replica("Worker", 2, "name: w", ", restartPolicy: Never")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.restarts.limit, 6u);
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("`restartPolicy` of the workers has no effect"), std::string::npos) << job.notes[0];
}

TEST(PyTorchJob, ShellWithAReference_RunsOncePerPodAsTheOperatorDoesIt) {
  const Translated job = translated(
      pytorch(replica("Worker", 2, "name: pytorch, command: [sh, -c, \"python t.py --rank $(RANK) of $(WORLD_SIZE)\"]"),
              "  nprocPerNode: \"2\"\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().workers, (AutoCount{false, 1}));
  EXPECT_EQ(job.spec.custom.at("RANK"), "${rank}");
  EXPECT_EQ(job.spec.custom.at("PET_NPROC_PER_NODE"), "2");
}

TEST(PyTorchJob, HostNameOfTheMaster_IsTheAddressOfTheFirstRank) {
  const std::string env = ", env: [{name: URL, value: \"tcp://mnist-master-0:23456\"}]";
  const Translated job = translated(pytorch(replica("Master", 1, "name: pytorch, command: [python, t.py]" + env) +
                                            replica("Worker", 1, "name: pytorch, command: [python, t.py]" + env)));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("URL"), "tcp://${master_address}:23456");
}

}  // namespace
}  // namespace muster
