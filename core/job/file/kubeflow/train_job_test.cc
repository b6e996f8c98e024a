// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/job/file/kubeflow/translated_test.h"
#include "core/job/file/kubeflow/tree/tree_text.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

// A TrainJob with these lines in `spec`, each indented by two spaces.
std::string train_job(const std::string& spec) {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: mnist}\nspec:\n" + spec;
}

std::string with_runtime(const std::string& policy, const std::string& container, const std::string& spec) {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: own}\nspec:\n  "
         "mlPolicy: " +
         policy +
         "\n  template:\n    spec:\n      replicatedJobs:\n        - name: node\n          template:\n"
         "            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
         "            spec:\n              template:\n                spec:\n                  containers:\n"
         "                    - " +
         container + "\n---\n" + train_job("  runtimeRef: {name: own, kind: TrainingRuntime}\n" + spec);
}

TEST(TrainJob, WithTorchrun_StartsItsProcessesAsRanks) {
  const Translated job =
      translated(train_job("  runtimeRef: {name: torch-distributed}\n"
                           "  trainer: {numNodes: 2, numProcPerNode: 4, command: [torchrun, train.py, \"--lr=1\"]}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.name, "mnist");
  EXPECT_EQ(job.spec.framework, Framework::torch);
  EXPECT_EQ(job.group().command, (Words{"python", "train.py", "--lr=1"}));
  EXPECT_EQ(job.group().min_nodes, 2u);
  EXPECT_EQ(job.group().max_nodes, 2u);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 4}));
  EXPECT_EQ(job.group().worker.gpus, (AutoCount{false, 0}));
}

TEST(TrainJob, WithTorchrun_VariablesThatTorchrunSetsAreLeftOutAndNoted) {
  const std::string env =
      "env: [{name: MASTER_PORT, value: \"29500\"}, {name: RANK, value: \"7\"}, {name: PET_NNODES, value: \"9\"}, "
      "{name: LR, value: \"1\"}]}\n";
  const auto with = [&](const std::string& command) {
    return translated(
        train_job("  runtimeRef: {name: torch-distributed}\n  trainer: {command: " + command + ", " + env));
  };
  const Translated job = with("[torchrun, t.py]");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.env.size() + job.group().env.size(), 1u);
  EXPECT_NE(join(job.notes, "\n").find("`MASTER_PORT` of the container has no effect"), std::string::npos);
  const Translated alone = with("[python, t.py]");
  EXPECT_EQ(alone.told(), "");
  EXPECT_EQ(alone.spec.env.at("RANK").literal, "7") << "nobody else sets it in the pod";
}

TEST(TrainJob, WithoutTrainer_HasTheSizeOfItsRuntime) {
  const Translated job =
      translated(with_runtime("{numNodes: 3, torch: {}}", "{name: node, command: [python, train.py]}", ""));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::torch);
  EXPECT_EQ(job.group().max_nodes, 3u);
}

TEST(TrainJob, Processes_FollowTheResourcesThatTheNodeReallyGets) {
  const std::string container =
      "{name: node, command: [torchrun, train.py], resources: {limits: {nvidia.com/gpu: 2, cpu: 16}}}";
  const Translated job =
      translated(with_runtime("{torch: {}}", container, "  trainer: {resourcesPerNode: {limits: {memory: 8Gi}}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
  EXPECT_EQ(job.group().worker.gpus, (AutoCount{false, 1}));
  EXPECT_EQ(job.group().worker.cpus, 8u);
  EXPECT_EQ(job.group().worker.memory_bytes, uint64_t{4} << 30);
}

TEST(TrainJob, WithoutGpus_HasOneProcessPerCpuAsTrainerDoes) {
  const std::string container = "{name: node, command: [torchrun, t.py], resources: {requests: {cpu: 2500m}}}";
  EXPECT_EQ(translated(with_runtime("{torch: {}}", container, "")).group().workers, (AutoCount{false, 3}));
}

TEST(TrainJob, ValuesThatFlagsReplace_AreForgotten) {
  ManifestJob job = read_manifest(
      load_yaml_documents(
          train_job("  runtimeRef: {name: torch-distributed}\n  trainer: {command: [torchrun, t.py], env: "
                    "[{name: TOKEN, value: s3cret}, {name: A, value: kept}]}\n"),
          "job.yaml")
          .roots,
      {});
  forget_values(job.object, {"TOKEN"});
  const std::string text = tree_json(job.object);
  EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
  EXPECT_NE(text.find("kept"), std::string::npos) << text;
}

TEST(TrainJob, Env_IsLaidOverThatOfTheRuntimeAndExpanded) {
  const std::string container =
      "{name: node, command: [python, train.py], args: [\"$(B)\", \"$(NONE)\", \"$$(B)\"], "
      "env: [{name: A, value: a}, {name: B, value: b}]}";
  const Translated job =
      translated(with_runtime("{torch: {}}", container, "  trainer: {env: [{name: B, value: \"$(A)1\"}]}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.env.at("A").literal, "a");
  EXPECT_EQ(job.spec.env.at("B").literal, "a1");
  EXPECT_EQ(job.group().command, (Words{"python", "train.py", "a1", "$(NONE)", "$(B)"}));
}

TEST(TrainJob, ShellWithTorchrun_IsTakenApartIfItIsOnePlainCommand) {
  const Translated job =
      translated(train_job("  runtimeRef: {name: torch-distributed}\n  trainer:\n    numProcPerNode: 2\n"
                           "    command: [bash, -c, \"torchrun --max-restarts=3 -m pkg.train --x 1\"]\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command, (Words{"python", "-m", "pkg.train", "--x", "1"}));
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
  EXPECT_EQ(job.spec.restarts.limit, 3u);
}

TEST(TrainJob, ShellScript_RunsOncePerNodeWithTorchrunsVariables) {
  const Translated job = translated(
      train_job("  runtimeRef: {name: torch-distributed}\n  trainer:\n    numNodes: 2\n    numProcPerNode: 2\n"
                "    command: [bash, -c, \"pip install x && torchrun train.py\"]\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::custom);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 1}));
  EXPECT_EQ(job.spec.custom.at("PET_NNODES"), "${nodes}");
  EXPECT_EQ(job.spec.custom.at("PET_NPROC_PER_NODE"), "2");
  EXPECT_EQ(job.spec.custom.at("PET_MASTER_ADDR"), "${master_address}");
}

TEST(TrainJob, UnknownRuntime_IsReportedWithTheNearestName) {
  const Translated job = translated(train_job("  runtimeRef: {name: torch-distribted}\n"));
  EXPECT_EQ(job.told(), "E1805 5:22 there is no runtime `torch-distribted` (did you mean `torch-distributed`?)\n");
}

TEST(TrainJob, NewerVersion_IsReportedWithTheVersionThatIsRead) {
  const Translated job =
      translated("apiVersion: trainer.kubeflow.org/v2\nkind: TrainJob\nmetadata: {name: a}\nspec: {}\n");
  EXPECT_EQ(job.told(),
            "E1804 1:13 muster does not know the version `trainer.kubeflow.org/v2` of TrainJob (did you mean "
            "`trainer.kubeflow.org/v1alpha1`?)\n");
}

TEST(TrainJob, UnknownFieldWrongTypeAndInitializer_AreReportedWithTheirPlaces) {
  const Translated job = translated(
      train_job("  runtimeRef: {name: torch-distributed}\n  trainer: {comand: [x], env: [{name: A, value: 1}]}\n"
                "  initializer: {model: {storageUri: \"hf://a/b\"}}\n"));
  EXPECT_EQ(job.told(),
            "E1801 6:13 `spec.trainer` has no field `comand` (did you mean `command`?)\n"
            "E1802 6:49 `spec.trainer.env.value` must be a text, and this is a number (did you mean `\"1\"`?)\n"
            "E1803 7:17 muster does not support `spec.initializer.model` here\n");
}

TEST(TrainJob, NullFields_AreUnsetAsInKubernetes) {
  const Translated job =
      translated(train_job("  runtimeRef: {name: torch-distributed}\n  initializer:\n  suspend: false\n"
                           "  trainer: {image:, command: [python, t.py], numProcPerNode: 1}\n"));
  EXPECT_EQ(job.told(), "");
}

TEST(TrainJob, Settings_BecomeThoseOfTheJob) {
  const Translated job = translated(train_job(
      "  runtimeRef: {name: torch-distributed}\n  suspend: true\n  activeDeadlineSeconds: 90\n  labels: {a: b}\n"
      "  trainer: {command: [python, t.py], numProcPerNode: 1}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_TRUE(job.spec.hold);
  EXPECT_EQ(job.spec.timeouts.run, std::chrono::seconds(90));
  EXPECT_EQ(job.spec.labels.at("a"), "b");
}

TEST(TrainJob, InACluster_KeepsWhatPodsNeed) {
  const Translated job = in_cluster(with_runtime(
      "{torch: {}}",
      "{name: node, image: \"registry.example/a:1\", command: [python, t.py], securityContext: {runAsUser: 1000}, "
      "volumeMounts: [{name: data, mountPath: /data}]}\n"
      "                  volumes: [{name: data, persistentVolumeClaim: {claimName: sets}}]\n"
      "                  nodeSelector: {gpu: l4}\n                  serviceAccountName: me",
      "  suspend: true\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_FALSE(job.spec.hold);
  EXPECT_TRUE(job.spec.kubernetes.suspend);
  EXPECT_EQ(job.spec.kubernetes.image, "registry.example/a:1");
  EXPECT_EQ(job.spec.kubernetes.service_account, "me");
  EXPECT_EQ(job.group().kubernetes.node_selector.at("gpu"), "l4");
  EXPECT_NE(job.spec.kubernetes.patch.find("\"claimName\":\"sets\""), std::string::npos) << job.spec.kubernetes.patch;
  EXPECT_NE(job.spec.kubernetes.patch.find("\"runAsUser\":1000"), std::string::npos) << job.spec.kubernetes.patch;
  EXPECT_EQ(job.notes, Words{});
}

TEST(TrainJob, InACluster_PassesLabelsOfItsJobsOn) {
  const Translated job = in_cluster(train_job(
      "  runtimeRef: {name: torch-distributed}\n  trainer: {image: a, command: [python, t.py]}\n  runtimePatches:\n"
      "    - {manager: a.b/c, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: "
      "{metadata: {labels: {of: job}}}}]}}}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.patch,
            R"({"spec":{"replicatedJobs":[{"name":"node","template":{"metadata":{"labels":{"of":"job"}}}}]}})");
}

TEST(TrainJob, OnHosts_NotesWhatHasNoEffectThere) {
  const Translated job = translated(with_runtime(
      "{torch: {}}", "{name: node, image: a, command: [python, t.py]}\n                  nodeSelector: {gpu: l4}", ""));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.notes, (Words{"job.yaml:17: `spec.nodeSelector` has no effect here; in a cluster it becomes "
                              "`kubernetes.node_selector`; on hosts "
                              "use `label`",
                              "job.yaml:16: the image is not used here: the command runs in this machine's own "
                              "environment. With --in-image manifest it runs in the image"}));
}

TEST(TrainJob, DeepSpeedInTheImageOfTheManifest_RunsInThatOfTheTrainer) {
  const Translated job = translated(
      train_job("  runtimeRef: {name: deepspeed-distributed}\n"
                "  trainer: {image: \"registry.example/a:1\", command: [mpirun, python, t.py], numNodes: 2}\n"),
      {.in_image = kImageOfManifest});
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().in_image, "registry.example/a:1");
}

TEST(TrainJob, Patches_AreLaidOverTheRuntime) {
  const Translated job = in_cluster(with_runtime(
      "{torch: {}}", "{name: node, image: a, command: [python, t.py]}",
      "  runtimePatches:\n    - manager: me.example/x\n      trainingRuntimeSpec: {template: {spec: {replicatedJobs: "
      "[{name: node, template: {spec: {template: {spec: {nodeSelector: {zone: a}}}}}}]}}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().kubernetes.node_selector.at("zone"), "a");
}

TEST(TrainJob, WithMpi_TakesMpirunApart) {
  const Translated job = translated(
      train_job("  runtimeRef: {name: deepspeed-distributed}\n"
                "  trainer: {numNodes: 2, numProcPerNode: 2, command: [mpirun, -np, \"4\", -x, A=1, ./solver, -v]}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::mpi);
  EXPECT_EQ(job.group().command, (Words{"./solver", "-v"}));
  EXPECT_EQ(job.group().max_nodes, 2u);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
  EXPECT_EQ(job.spec.env.at("A").literal, "1");
}

TEST(Manifests, WithTwoJobsOrNone_AreRefusedAndNamed) {
  const std::string one = train_job("  runtimeRef: {name: torch-distributed}\n");
  EXPECT_EQ(translated(one + "---\n" + one).told().substr(0, 5), "E1808");
  EXPECT_EQ(translated("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n").told().substr(0, 5), "E1808");
}

TEST(TrainJob, PythonWithoutTorchrun_RunsOncePerNodeAsInAPod) {
  const auto workers = [](const std::string& trainer) {
    const Translated job =
        translated(train_job("  runtimeRef: {name: torch-distributed}\n  trainer: {" + trainer + "}\n"));
    EXPECT_EQ(job.told(), "");
    return job.group().workers.count;
  };
  const std::string cpus = ", resourcesPerNode: {limits: {cpu: 3}}";
  EXPECT_EQ(workers("command: [python, t.py]" + cpus), 1u);
  EXPECT_EQ(workers("command: [python, t.py], numProcPerNode: auto" + cpus), 1u);
  EXPECT_EQ(workers("command: [python, t.py], numProcPerNode: 2" + cpus), 2u);
  EXPECT_EQ(workers("command: [torchrun, t.py]" + cpus), 3u);
}

TEST(TrainJob, WithoutAPolicy_StartsTheCommandOncePerNode) {
  const Translated job = translated(
      with_runtime("{numNodes: 2}", "{name: node, command: [python, t.py]}", "  trainer: {numProcPerNode: 2}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::custom);
  EXPECT_EQ(job.group().workers, (AutoCount{false, 1}));
  EXPECT_EQ(job.notes.size(), 1u);
}

TEST(TrainJob, ShellWithABuiltinOrALoginProfile_IsKept) {
  const auto command = [](const std::string& words) {
    return translated(train_job("  runtimeRef: {name: torch-distributed}\n  trainer: {command: " + words + "}\n"))
        .group()
        .command;
  };
  EXPECT_EQ(command("[sh, -c, exit 3]"), (Words{"sh", "-c", "exit 3"}));
  EXPECT_EQ(command("[bash, -lc, python t.py]"), (Words{"bash", "-lc", "python t.py"}));
  EXPECT_EQ(command("[bash, -ec, python t.py]"), (Words{"python", "t.py"}));
}

TEST(TrainJob, TorchrunAsAModule_IsKnownBehindFlagsOfPython) {
  const Translated job = translated(train_job(
      "  runtimeRef: {name: torch-distributed}\n"
      "  trainer: {numProcPerNode: 2, command: [python3, -u, -m, torch.distributed.run, -m, pkg.train, --x]}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command, (Words{"python3", "-u", "-m", "pkg.train", "--x"}));
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
}

TEST(TrainJob, FlagsOfTorchrun_AreUsedNotedOrRefused) {
  const auto with = [](const std::string& words) {
    return translated(
        train_job("  runtimeRef: {name: torch-distributed}\n  trainer: {command: [" + words + ", t.py]}\n"));
  };
  EXPECT_EQ(with("torchrun, --procs=2").told().substr(0, 5), "E1802");
  EXPECT_EQ(with("torchrun, --rdzv=2").told().substr(0, 5), "E1802") << "four flags begin so";
  EXPECT_EQ(with("torchrun, --nproc-per-nod=2").group().workers.count, 2u);
  EXPECT_EQ(with("torchrun, --nproc, \"3\"").group().workers.count, 3u);
  EXPECT_EQ(with("torchrun, --max_r, \"3\"").spec.restarts.limit, 3u);
  EXPECT_EQ(with("torchrun, --stand").group().command.back(), "t.py");
  EXPECT_EQ(with("torchrun, --log_dir=/tmp").notes.size(), 1u);
  EXPECT_NE(with("python, -m, torch.distributed.launch").spec.torch.local_rank,
            with("python, -m, torch.distributed.launch, --use-env").spec.torch.local_rank);
}

TEST(TrainJob, Env_ReplacesAVariableOfItsRuntimeWithAnotherSource) {
  const Translated job = translated(with_runtime(
      "{torch: {}}",
      "{name: node, command: [python, t.py], env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}",
      "  trainer: {env: [{name: A, value: mine}]}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.env.at("A").literal, "mine");
}

TEST(Runtimes, WithInitContainers_AreLegalUntilAJobUsesThem) {
  const std::string runtime = with_runtime(
      "{torch: {}}", "{name: node, command: [python, t.py]}\n                  initContainers: [{name: i}]", "");
  EXPECT_EQ(translated(runtime).told().substr(0, 5), "E1803");
  const auto checked = check_runtime(load_yaml_documents(runtime, "job.yaml").roots.front());
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->diagnostics.empty());
}

TEST(TrainJob, PythonWithoutTorchrun_GetsTheVariablesOfThePod) {
  const Translated job = translated(
      train_job("  runtimeRef: {name: torch-distributed}\n  trainer: {numNodes: 2, command: [python, t.py]}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("PET_NODE_RANK"), "${rank}");
  EXPECT_EQ(job.spec.custom.at("PET_NPROC_PER_NODE"), "1");
  EXPECT_EQ(job.spec.custom.at("JOB_COMPLETION_INDEX"), "${rank}");
  const Translated plain = translated(with_runtime("{numNodes: 2}", "{name: node, command: [./x]}", ""));
  ASSERT_EQ(plain.told(), "");
  EXPECT_EQ(plain.spec.custom.at("JOB_COMPLETION_INDEX"), "${rank}");
}

}  // namespace
}  // namespace muster
