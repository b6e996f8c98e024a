// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/train_job_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace muster {
namespace {

using Json = nlohmann::json;

struct WrittenJob {
  Json runtime;
  Json job;
  std::vector<std::string> notes;

  Json policy() const { return runtime["spec"]["mlPolicy"]; }
  Json pod() const {
    return runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"];
  }
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
    "workingDir": "/code"}], "priorityClassName": "high", "hostNetwork": true, "imagePullSecrets": [{"name": "key"}],
    "tolerations": [{"operator": "Exists"}]})"));
  EXPECT_EQ(written.runtime["spec"]["template"]["spec"]["ttlSecondsAfterFinished"], 3600);
  EXPECT_EQ(written.runtime["metadata"], Json::parse(R"({"name": "mnist", "namespace": "research"})"));
  EXPECT_EQ(written.job["metadata"], Json::parse(R"({"name": "mnist", "namespace": "research", "annotations":
    {"c": "d"}, "labels": {"a": "b", "kueue.x-k8s.io/queue-name": "team"}})"));
  EXPECT_FALSE(written.job["spec"].contains("labels"));
  EXPECT_EQ(written.notes.size(), 0u);
  spec.kubernetes.shm_bytes = 1;
  spec.kubernetes.security.privileged = true;
  EXPECT_EQ(written_job(spec).notes.size(), 2u);
}

}  // namespace
}  // namespace muster
