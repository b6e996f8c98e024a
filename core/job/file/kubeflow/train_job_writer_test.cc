// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/train_job_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

using Json = nlohmann::json;

struct WrittenJob {
  Json runtime;
  Json job;
  std::vector<std::string> notes;

  Json policy() const { return runtime["spec"]["mlPolicy"]; }
  Json jobset() const { return runtime["spec"]["template"]["spec"]; }
  Json pod(size_t at = 0) const { return jobset()["replicatedJobs"][at]["template"]["spec"]["template"]["spec"]; }
  Json trainer() const { return job["spec"]["trainer"]; }
  // The variable in the TrainJob; null: it is not there.
  Json variable(const std::string& name) const {
    for (const Json& each : trainer().value("env", Json::array())) {
      if (each["name"] == name) return each;
    }
    return nullptr;
  }
  std::string text() const { return runtime.dump() + "\n---\n" + job.dump() + "\n"; }
};

JobSpec job_of(Framework framework, std::vector<std::string> command) {
  JobSpec spec;
  spec.name = "mnist";
  spec.framework = framework;
  spec.kubernetes.image = "registry.example/a:1";
  spec.groups.emplace_back().command = std::move(command);
  return spec;
}

WrittenJob written_job(const JobSpec& spec) {
  const auto objects = train_job_objects(spec);
  EXPECT_TRUE(objects.ok());
  return {Json::parse(objects->objects.at(0)), Json::parse(objects->objects.at(1)), objects->notes};
}

WrittenJob rewritten(const std::string& manifest) {
  const Translated job = in_cluster(manifest);
  EXPECT_EQ(job.told(), "");
  return written_job(job.spec);
}

std::string torch_job(const std::string& trainer) {
  return manifest("trainer.kubeflow.org/v1alpha1", "TrainJob",
                  "  runtimeRef: {name: torch-distributed}\n  trainer: {" + trainer + "}\n");
}

TEST(TrainJobWriter, JaxPythonFlagsAndImage_AreKept) {
  JobSpec jax = job_of(Framework::jax, {"python", "train.py"});
  jax.groups[0].max_nodes = jax.groups[0].min_nodes = 4;
  const WrittenJob written = written_job(jax);
  EXPECT_EQ(written.policy(), (Json{{"jax", Json::object()}, {"numNodes", 4}}));
  EXPECT_EQ(written.pod()["containers"][0]["image"], "registry.example/a:1");
  EXPECT_EQ(written.notes.size(), 0u);
  const auto command = [](std::vector<std::string> words) {
    return written_job(job_of(Framework::torch, std::move(words))).job["spec"]["trainer"]["command"];
  };
  EXPECT_EQ(command({"python", "train.py"}), (Json{"torchrun", "train.py"}));
  EXPECT_EQ(command({"python3", "-m", "a.b", "x"}), (Json{"torchrun", "-m", "a.b", "x"}));
  EXPECT_EQ(command({"python", "-u", "t.py"}), (Json{"torchrun", "--no-python", "python", "-u", "t.py"}));
  EXPECT_EQ(command({"python", "-c", "0"}), (Json{"torchrun", "--no-python", "python", "-c", "0"}));
  EXPECT_EQ(command({"./train"}), (Json{"torchrun", "--no-python", "./train"}));
  EXPECT_EQ(command({"/v/bin/python", "t.py"}), (Json{"/v/bin/python", "-m", "torch.distributed.run", "t.py"}));
}

TEST(TrainJobWriter, SettingsOfPods_AreInTheRuntimeOrNoted) {
  JobSpec spec = job_of(Framework::torch, {"python", "t.py"});
  spec.workdir = "/code";
  spec.labels = {{"a", "b"}};
  spec.kubernetes.priority_class = "high";
  spec.kubernetes.tolerations = R"([{"operator":"Exists"}])";
  spec.kubernetes.host_network = true;
  spec.kubernetes.pull_secrets = {"key"};
  spec.kubernetes.ttl = std::chrono::hours(1);
  spec.kubernetes.queue = "team";
  spec.kubernetes.annotations = {{"c", "d"}};
  spec.kubernetes.cluster_namespace = "research";
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.pod(), Json::parse(R"({"containers": [{"name": "node", "image": "registry.example/a:1",
    "workingDir": "/code"}], "priorityClassName": "high", "hostNetwork": true,
    "dnsPolicy": "ClusterFirstWithHostNet", "imagePullSecrets": [{"name": "key"}],
    "tolerations": [{"operator": "Exists"}]})"));
  EXPECT_EQ(written.runtime["spec"]["template"]["spec"]["ttlSecondsAfterFinished"], 3600);
  EXPECT_EQ(written.runtime["metadata"], Json::parse(R"({"name": "mnist", "namespace": "research"})"));
  EXPECT_EQ(written.job["metadata"], Json::parse(R"({"name": "mnist", "namespace": "research", "annotations":
    {"c": "d"}, "labels": {"a": "b", "kueue.x-k8s.io/queue-name": "team"}})"));
  EXPECT_FALSE(written.job["spec"].contains("labels"));
  EXPECT_EQ(written.notes.size(), 0u);
}

TEST(TrainJobWriter, ScriptThatStartsTorchrun_HasTheTorchPolicyAndItsProcesses) {
  const std::string script = R"(command: [bash, -c, "pip list; torchrun train.py"])";
  const Translated before = in_cluster(torch_job("numNodes: 2, numProcPerNode: 4, " + script));
  ASSERT_EQ(before.told(), "");
  const WrittenJob written = written_job(before.spec);
  EXPECT_EQ(written.policy(), (Json{{"torch", Json::object()}, {"numNodes", 2}}));
  EXPECT_EQ(
      written.trainer(),
      Json::parse(R"({"numNodes": 2, "numProcPerNode": 4, "command": ["bash", "-c", "pip list; torchrun train.py"]})"));
  EXPECT_EQ(written.notes, std::vector<std::string>());
  const Translated again = in_cluster(written.text());
  ASSERT_EQ(again.told(), "");
  EXPECT_EQ(again.spec.custom, before.spec.custom);
  EXPECT_EQ(again.group().command, before.group().command);
}

TEST(TrainJobWriter, ScriptThatReadsVariablesOfItsOperator_GetsThem) {
  const WrittenJob written = rewritten(pytorch(replica(
      "Worker", 3, R"(name: pytorch, image: "a:1", command: [bash, -c, "pip list; ./run.sh $MASTER_ADDR $RANK"])")));
  EXPECT_EQ(written.policy(), (Json{{"torch", Json::object()}, {"numNodes", 3}}));
  EXPECT_EQ(written.variable("MASTER_ADDR")["value"], "mnist-node-0-0.mnist");
  EXPECT_EQ(written.variable("MASTER_PORT")["value"], "29500");
  EXPECT_EQ(written.variable("WORLD_SIZE")["value"], "3");
  EXPECT_EQ(written.variable("RANK")["valueFrom"]["fieldRef"]["fieldPath"],
            "metadata.annotations['batch.kubernetes.io/job-completion-index']");
  EXPECT_EQ(written.variable("PET_NNODES"), nullptr);
  EXPECT_EQ(written.notes, std::vector<std::string>());
}

TEST(TrainJobWriter, VariablesOfAJobSet_AreWritten) {
  const WrittenJob written = rewritten(manifest(
      "jobset.x-k8s.io/v1alpha2", "JobSet",
      "  replicatedJobs:\n  - name: workers\n    template: {spec: {parallelism: 2, completions: 2, template: {spec: "
      "{containers: [{name: a, image: \"a:1\", command: [./train], env: [{name: MASTER_ADDR, value: "
      "mnist-workers-0-0.mnist}]}]}}}}\n"));
  EXPECT_EQ(written.variable("MASTER_ADDR")["value"], "mnist-node-0-0.mnist");
  EXPECT_EQ(written.policy(), (Json{{"numNodes", 2}}));
  EXPECT_FALSE(written.trainer().contains("numProcPerNode"));
  EXPECT_EQ(written.notes, std::vector<std::string>());
}

TEST(TrainJobWriter, VariablesThatTrainerCannotSet_AreNamed) {
  JobSpec spec = job_of(Framework::custom, {"./train"});
  spec.custom = {{"PEERS", "${peers}"}, {"PRICE", "$$(5) ${job}"}, {"PET_NPROC_PER_NODE", "8"}};
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.policy(), (Json{{"numNodes", 1}}));
  EXPECT_EQ(written.variable("PRICE")["value"], "$$(5) mnist");
  EXPECT_EQ(written.variable("PET_NPROC_PER_NODE")["value"], "8");
  EXPECT_EQ(
      written.notes,
      (std::vector<std::string>{"custom.PEERS: Trainer cannot set this variable; compute its value in the program"}));
}

TEST(TrainJobWriter, JobWithoutAnImageAndWithHangs_SaysWhatIsLeftOut) {
  JobSpec spec = job_of(Framework::torch, {"train.py"});
  spec.kubernetes.image.clear();
  spec.hangs.after = std::chrono::minutes(7);
  EXPECT_EQ(written_job(spec).notes,
            (std::vector<std::string>{"kubernetes.image: the job has none, so pods could not start; write it into the "
                                      "runtime, or set it and convert again",
                                      "hangs: left out, because Trainer does not watch for hangs"}));
}

TEST(TrainJobWriter, PolicyWithoutProcesses_LeavesTheirNumberOut) {
  JobSpec spec = job_of(Framework::plain, {"./train"});
  spec.groups[0].workers = {false, 4};
  WrittenJob written = written_job(spec);
  EXPECT_FALSE(written.trainer().contains("numProcPerNode"));
  EXPECT_EQ(written.notes.size(), 1u);  // of `workers`
  spec.framework = Framework::torch;
  written = written_job(spec);
  EXPECT_EQ(written.trainer()["numProcPerNode"], 4);
}

TEST(TrainJobWriter, MpiRuntime_IsLikeTheOnesOfTrainer) {
  JobSpec spec = job_of(Framework::mpi, {"./solve"});
  spec.groups[0].max_nodes = spec.groups[0].min_nodes = 2;
  spec.groups[0].workers = {false, 4};
  spec.groups[0].worker.cpus = 1;
  spec.env = {{"A", {"1", std::nullopt}}};
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.policy(),
            Json::parse(R"({"numNodes": 2, "mpi": {"numProcPerNode": 4, "mpiImplementation": "OpenMPI",
    "sshAuthMountPath": "/home/mpiuser/.ssh", "runLauncherAsNode": true}})"));
  EXPECT_EQ(written.jobset()["successPolicy"],
            Json::parse(R"({"operator": "All", "targetReplicatedJobs": ["launcher"]})"));
  EXPECT_EQ(written.jobset()["replicatedJobs"][0]["name"], "launcher");
  EXPECT_EQ(written.jobset()["replicatedJobs"][1]["name"], "node");
  EXPECT_EQ(written.pod(0)["securityContext"], Json::parse(R"({"fsGroup": 1000})"));
  EXPECT_EQ(written.pod(1)["containers"][0], Json::parse(R"({"name": "node", "image": "registry.example/a:1",
    "command": ["/usr/sbin/sshd"], "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
    "securityContext": {"runAsUser": 1000, "runAsGroup": 1000},
    "resources": {"requests": {"cpu": 4}, "limits": {"cpu": 4}}})"));
  EXPECT_EQ(written.trainer()["command"], (Json{"mpirun", "-x", "A", "./solve"}));
  ASSERT_EQ(written.notes.size(), 1u);
  EXPECT_TRUE(written.notes[0].starts_with("mlPolicy.mpi.mpiImplementation: "));
  const Translated again = in_cluster(written.text());
  ASSERT_EQ(again.told(), "");
  EXPECT_EQ(again.spec.framework, Framework::mpi);
  EXPECT_EQ(again.group().max_nodes, 2u);
  EXPECT_EQ(again.group().workers, spec.groups[0].workers);
  EXPECT_EQ(again.group().command, spec.groups[0].command);
}

TEST(TrainJobWriter, ScriptThatCallsMpirun_IsRefused) {
  const Translated job = in_cluster(
      manifest("kubeflow.org/v2beta1", "MPIJob",
               "  mpiReplicaSpecs:\n" +
                   replica("Launcher", 1, R"(name: a, image: "a:1", command: [bash, -c, "ls; mpirun ./pi"])")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(train_job_objects(job.spec).status().code(), Code::failed_precondition);
}

TEST(TrainJobWriter, DollarSigns_AreNoReferencesOfKubernetes) {
  JobSpec spec = job_of(Framework::plain, {"$(A)", "$$", "$", "$HOME ${x}", "$$(A)", "a$(b", "$$$x"});
  spec.env = {{"A", {"$(B)", std::nullopt}}};
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.trainer()["command"], (Json{"$$(A)", "$$$$", "$", "$HOME ${x}", "$$$$(A)", "a$$(b", "$$$$$$x"}));
  EXPECT_EQ(written.variable("A")["value"], "$$(B)");
}

TEST(TrainJobWriter, EscapedReferences_KeepTheirMeaning) {
  const Translated before = in_cluster(
      torch_job(R"x(command: [bash, -c, "echo $$(A_ONE) $(nproc) $$$$"], env: [{name: A_ONE, value: "$$(B) $(C)"}])x"));
  ASSERT_EQ(before.told(), "");
  const WrittenJob written = written_job(before.spec);
  EXPECT_EQ(written.trainer()["command"][2], "echo $$(A_ONE) $$(nproc) $$$$");
  const Translated again = in_cluster(written.text());
  EXPECT_EQ(again.group().command, before.group().command);
  EXPECT_EQ(again.group().env, before.group().env);
}

TEST(TrainJobWriter, TimesAndSmallMemory_AreWrittenOrNamed) {
  JobSpec spec = job_of(Framework::torch, {"python", "t.py"});
  spec.timeouts.stop = std::chrono::milliseconds(89'500);
  spec.timeouts.start = std::chrono::hours(1);
  spec.groups[0].worker.memory_bytes = 1000;
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.pod()["terminationGracePeriodSeconds"], 90);
  EXPECT_EQ(written.trainer()["resourcesPerNode"]["limits"]["memory"], "1000");
  EXPECT_EQ(written.notes, (std::vector<std::string>{"timeouts.start: a TrainJob has no such limit"}));
}

TEST(TrainJobWriter, VolumesAndSecurityOfAJobFile_AreWrittenOrNamed) {
  JobSpec spec = job_of(Framework::torch, {"python", "t.py"});
  spec.kubernetes.shm_bytes = uint64_t{1} << 30;
  spec.kubernetes.security.privileged = true;
  spec.kubernetes.security.fs_group = 7;
  spec.kubernetes.volumes.resize(2);
  spec.kubernetes.volumes[0] = {.name = "sets", .mount = "/data", .sub_path = "a", .read_only = true, .claim = "sets"};
  spec.kubernetes.volumes[1] = {.name = "conf", .mount = "/conf", .files = {{"a", "b"}}};
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.pod()["volumes"],
            Json::parse(R"([{"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
    {"name": "sets", "persistentVolumeClaim": {"claimName": "sets", "readOnly": true}}])"));
  EXPECT_EQ(written.pod()["containers"][0]["volumeMounts"], Json::parse(R"([{"name": "dshm", "mountPath": "/dev/shm"},
    {"name": "sets", "mountPath": "/data", "readOnly": true, "subPath": "a"}])"));
  EXPECT_EQ(written.pod()["containers"][0]["securityContext"], (Json{{"privileged", true}}));
  EXPECT_EQ(written.pod()["securityContext"], (Json{{"fsGroup", 7}}));
  ASSERT_EQ(written.notes.size(), 1u);
  EXPECT_TRUE(written.notes[0].starts_with("kubernetes.volumes.conf: "));
}

TEST(TrainJobWriter, PodsOfAManifest_AreInTheRuntime) {
  const std::string metadata = R"({"labels": {"team": "a"}, "annotations": {"note": "1"}})";
  const std::string volumes = R"([{"name": "sets", "persistentVolumeClaim": {"claimName": "sets"}}])";
  const std::string env = R"([{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "k"}}},
    {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}])";
  const std::string container = R"({"name": "pytorch", "image": "a:1", "command": ["python", "t.py"], "env": )" + env +
                                R"(, "securityContext": {"runAsUser": 5}, "resources": {"requests": {"cpu": "1"},
    "limits": {"cpu": "2", "memory": "1Gi"}}, "volumeMounts": [{"name": "sets", "mountPath": "/data"}]})";
  const WrittenJob written = rewritten(
      pytorch(R"(    Worker: {"replicas": 1, "template": {"metadata": )" + metadata + R"(, "spec": {"volumes": )" +
              volumes + R"(, "securityContext": {"fsGroup": 6}, "containers": [)" + container + "]}}}\n"));
  const Json there = written.jobset()["replicatedJobs"][0]["template"]["spec"]["template"];
  EXPECT_EQ(there["metadata"], Json::parse(metadata));
  EXPECT_EQ(there["spec"]["volumes"], Json::parse(volumes));
  EXPECT_EQ(there["spec"]["securityContext"], (Json{{"fsGroup", 6}}));
  EXPECT_EQ(there["spec"]["containers"], Json::parse(R"([{"name": "node", "image": "a:1", "env": )" + env +
                                                     R"(, "securityContext": {"runAsUser": 5},
    "volumeMounts": [{"name": "sets", "mountPath": "/data"}]}])"));
  EXPECT_EQ(written.trainer()["resourcesPerNode"],
            Json::parse(R"({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}})"));
  EXPECT_EQ(written.notes, std::vector<std::string>());
}

TEST(TrainJobWriter, RequestWithoutALimit_GetsNone) {
  const WrittenJob written = rewritten(torch_job(
      "command: [torchrun, t.py], resourcesPerNode: {requests: {cpu: 4, memory: 2Gi}, limits: {nvidia.com/gpu: 1}}"));
  EXPECT_EQ(written.trainer()["resourcesPerNode"], Json::parse(R"({"requests": {"cpu": "4", "memory": "2Gi",
    "nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "1"}})"));
}

TEST(TrainJobWriter, PatchOfAJobFile_IsWrittenOrNamed) {
  JobSpec spec = job_of(Framework::torch, {"python", "t.py"});
  spec.kubernetes.patch = R"({"metadata": {"annotations": {"a": "b"}}, "status": {}, "spec": {"replicatedJobs": [
    {"name": "worker", "template": {"spec": {"template": {"spec": {"containers": [{"name": "agent", "tty": true,
      "image": null, "resources": {"claims": [{"name": "gpu"}]}}], "initContainers": [{"name": "muster"}]}}}}},
    {"name": "coordinator", "template": {}}]}})";
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.runtime["spec"]["template"]["metadata"], Json::parse(R"({"annotations": {"a": "b"}})"));
  EXPECT_EQ(written.jobset()["replicatedJobs"].size(), 1u);
  EXPECT_EQ(written.pod()["containers"],
            Json::parse(R"([{"name": "node", "tty": true, "resources": {"claims": [{"name": "gpu"}]}}])"));
  EXPECT_FALSE(written.trainer().contains("resourcesPerNode"));
  EXPECT_EQ(written.notes,
            (std::vector<std::string>{
                "kubernetes.patch.status: a TrainingRuntime has no such field",
                "kubernetes.patch.initContainers.muster: Trainer's pods have no init container of muster",
                "kubernetes.patch.spec.replicatedJobs.coordinator: the TrainingRuntime has no such job"}));
}

JobSpec patched(Framework framework, const std::string& container) {
  JobSpec spec = job_of(framework, {"./train"});
  spec.groups[0].worker.cpus = 2;
  spec.groups[0].worker.memory_bytes = uint64_t{1} << 30;
  spec.kubernetes.patch = R"({"spec": {"replicatedJobs": [{"name": "worker", "template": {"spec": {"template": {"spec":
    {"containers": [{"name": "agent", )" +
                          container + "}]}}}}}]}}";
  return spec;
}

TEST(TrainJobWriter, ResourcesThatAPatchRemoves_AreNotWritten) {
  const auto resources_of = [](const std::string& container) {
    return written_job(patched(Framework::torch, container)).trainer().value("resourcesPerNode", Json());
  };
  EXPECT_EQ(resources_of(R"("resources": {"limits": {"cpu": null}})"),
            Json::parse(R"({"requests": {"cpu": 2, "memory": "1Gi"}, "limits": {"memory": "1Gi"}})"));
  EXPECT_EQ(resources_of(R"("resources": {"limits": null})"),
            Json::parse(R"({"requests": {"cpu": 2, "memory": "1Gi"}})"));
  EXPECT_EQ(resources_of(R"("resources": {"requests": {"cpu": null}})"),
            Json::parse(R"({"requests": {"memory": "1Gi"}, "limits": {"cpu": 2, "memory": "1Gi"}})"));
  EXPECT_EQ(resources_of(R"("resources": null)"), Json());
  EXPECT_NE(resources_of(R"("resources": {"requests": []})"), Json()) << "no map, but no crash";
}

TEST(TrainJobWriter, VariablesOfMpiFromTheRuntime_AreGivenToRanksOnAllNodes) {
  JobSpec spec = patched(Framework::mpi, R"("env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys",
    "key": "k"}}}, {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}])");
  spec.env["A"] = EnvValue{"1", std::nullopt};
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.trainer()["command"], (Json{"mpirun", "-x", "KEY", "-x", "A", "./train"}));
  const std::string note =
      "kubernetes.patch.env.IP: only ranks in the pod of mpirun get it, because it differs between pods";
  EXPECT_EQ(std::count(written.notes.begin(), written.notes.end(), note), 1);
}

TEST(TrainJobWriter, VariablesOfMpiThatDifferBetweenPods_AreNamed) {
  JobSpec spec = job_of(Framework::mpi, {"./solve"});
  spec.groups[0].min_nodes = spec.groups[0].max_nodes = 2;
  spec.custom = {
      {"INDEX", "${node}"}, {"IP", "${address}"}, {"JOB_COMPLETION_INDEX", "${node}"}, {"NODES", "${nodes}"}};
  const WrittenJob written = written_job(spec);
  EXPECT_EQ(written.trainer()["command"], (Json{"mpirun", "-x", "NODES", "./solve"}));
  for (const char* name : {"INDEX", "IP", "JOB_COMPLETION_INDEX"}) {
    const std::string note =
        std::string("custom.") + name + ": Trainer cannot set this variable; compute its value in the program";
    EXPECT_EQ(std::count(written.notes.begin(), written.notes.end(), note), 1) << name;
  }
}

}  // namespace
}  // namespace muster
