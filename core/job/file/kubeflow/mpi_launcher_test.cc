// SPDX-License-Identifier: Apache-2.0
// Launchers of MPI that call mpirun themselves: they run as a group of their own, and the workers wait for them.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"
#include "core/job/mpirun/launcher_variables.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

// Two workers of four slots each, with variables of their own.
std::string mpi_job(const std::string& command, const std::string& more = "", const std::string& version = "v2beta1") {
  return "apiVersion: kubeflow.org/" + version + "\nkind: MPIJob\nmetadata: {name: pi}\nspec:\n" + more +
         "  slotsPerWorker: 4\n  mpiReplicaSpecs:\n    Launcher: {template: {spec: {containers: [{name: l, env: "
         "[{name: A, value: \"1\"}], command: " +
         command +
         "}]}}}\n    Worker: {replicas: 2, template: {spec: {containers: [{name: w, command: [/usr/sbin/sshd, -De], "
         "resources: {limits: {cpu: 4}}, env: [{name: B, value: \"2\"}]}]}}}\n";
}

std::string variable(const GroupSpec& group, const char* name) {
  const auto found = group.env.find(name);
  return found == group.env.end() ? "" : found->second.literal;
}

TEST(MpiLauncher, WithAScript_RunsBesideWaitingWorkers) {
  for (const char* version : {"v2beta1", "v1"}) {
    const Translated job = translated(mpi_job("[./run.sh, fast]", "", version));
    ASSERT_EQ(job.told(), "");
    ASSERT_EQ(job.spec.groups.size(), 2u);
    EXPECT_EQ(job.spec.framework, Framework::custom);
    const GroupSpec& launcher = job.group(0);
    EXPECT_EQ(launcher.name, "launcher");
    EXPECT_EQ(launcher.max_nodes, 1u);
    EXPECT_EQ(launcher.success, SuccessRule::all);
    ASSERT_EQ(launcher.command.size(), 5u);
    EXPECT_EQ(Words(launcher.command.begin() + 3, launcher.command.end()), (Words{"./run.sh", "fast"}));
    EXPECT_NE(launcher.command[2].find("mpirun --shim"), std::string::npos);
    EXPECT_EQ(variable(launcher, "A"), "1");
    EXPECT_EQ(variable(launcher, kMpirunGroups), "worker");
    EXPECT_EQ(variable(launcher, kMpirunSlots), "4");
    const GroupSpec& worker = job.group(1);
    EXPECT_EQ(worker.name, "worker");
    EXPECT_EQ(worker.max_nodes, 2u);
    EXPECT_EQ(worker.workers, (AutoCount{false, 1}));
    EXPECT_EQ(worker.success, SuccessRule::background);
    EXPECT_EQ(worker.worker.cpus, 4u);
    EXPECT_EQ(worker.command.front(), "sleep");
    EXPECT_EQ(variable(worker, "B"), "2");
    EXPECT_EQ(variable(worker, "A"), "");
  }
}

TEST(MpiLauncher, AnyOtherCommand_IsALauncher) {
  for (const char* command : {"[bash, -c, \"cd /data && mpirun -np 8 ./pi\"]", "[python, launch.py]", "[sh, run.sh]"}) {
    const Translated job = translated(mpi_job(command));
    EXPECT_EQ(job.told(), "");
    EXPECT_EQ(job.spec.groups.size(), 2u) << command;
  }
  EXPECT_EQ(translated(mpi_job("[bash, -c, \"mpirun -np 8 ./pi\"]")).spec.groups.size(), 1u);
}

// A login shell reads the profile of the user, which may set PATH anew.
TEST(MpiLauncher, LoginShell_SetsPathAfterItsProfile) {
  const Translated login = translated(mpi_job("[bash, -lc, \"mpirun -np 8 ./pi\"]"));
  ASSERT_EQ(login.told(), "");
  EXPECT_TRUE(login.group().command.back().starts_with("PATH=")) << login.group().command.back();
  EXPECT_TRUE(login.group().command.back().ends_with("\nmpirun -np 8 ./pi"));
  const Translated option = translated(mpi_job("[bash, -l, -o, pipefail, -c, \"mpirun -np 8 ./pi\"]"));
  EXPECT_TRUE(option.group().command.back().starts_with("PATH=")) << option.group().command.back();
  const Translated plain = translated(mpi_job("[bash, -c, \"time mpirun -np 8 ./pi\"]"));
  EXPECT_EQ(plain.group().command.back(), "time mpirun -np 8 ./pi");
}

TEST(MpiLauncher, MpirunOfTheImage_IsThatOfMuster) {
  for (const char* command : {"[/opt/mpi/bin/orterun, -np, \"1\", ./a, \":\", -np, \"1\", ./b]",
                              "[sh, -c, \"/usr/bin/mpirun -np 1 ./a : -np 1 ./b\"]"}) {
    const Translated job = translated(mpi_job(command));
    ASSERT_EQ(job.told(), "");
    const Words& words = job.group().command;
    EXPECT_EQ(Words(words.begin() + 3, words.end()), (Words{"mpirun", "-np", "1", "./a", ":", "-np", "1", "./b"}));
  }
}

TEST(MpiLauncher, AsWorker_HasSlotsToo) {
  const Translated job = translated(mpi_job("[./run.sh]", "  runLauncherAsWorker: true\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(variable(job.group(0), kMpirunGroups), "launcher,worker");
  EXPECT_EQ(job.group(1).max_nodes, 2u);
}

TEST(MpiLauncher, WithoutWorkers_HasAllSlots) {
  const Translated job = translated(
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec:\n  slotsPerWorker: 3\n"
      "  mpiReplicaSpecs:\n    Launcher: {template: {spec: {containers: [{name: l, command: [./run.sh]}]}}}\n");
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.spec.groups.size(), 1u);
  EXPECT_EQ(job.spec.env.at(kMpirunGroups).literal, "launcher");  // variables of the only group are those of the job
  EXPECT_EQ(job.spec.env.at(kMpirunSlots).literal, "3");
}

TEST(MpiLauncher, OfATrainJob_IsOneOfItsNodes) {
  const Translated job = translated(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n"
      "  runtimeRef: {name: deepspeed-distributed}\n"
      "  trainer: {numNodes: 3, numProcPerNode: 2, command: [bash, run.sh]}\n");
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.spec.groups.size(), 2u);
  EXPECT_EQ(variable(job.group(0), kMpirunGroups), "launcher,node");
  EXPECT_EQ(variable(job.group(0), kMpirunSlots), "2");
  EXPECT_EQ(job.group(1).name, "node");
  EXPECT_EQ(job.group(1).max_nodes, 2u);
}

TEST(MpiLauncher, InACluster_HasPodsOfItsOwn) {
  const Translated job = in_cluster(
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec:\n  mpiReplicaSpecs:\n"
      "    Launcher: {template: {spec: {nodeSelector: {a: launcher}, containers: [{name: l, image: small, command: "
      "[./run.sh]}]}}}\n    Worker: {replicas: 2, template: {spec: {nodeSelector: {a: worker}, containers: [{name: w, "
      "image: large}]}}}\n");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group(0).kubernetes.image, "small");
  EXPECT_EQ(job.group(0).kubernetes.node_selector.at("a"), "launcher");
  EXPECT_EQ(job.group(1).kubernetes.image, "large");
  EXPECT_EQ(job.group(1).kubernetes.node_selector.at("a"), "worker");
}

}  // namespace
}  // namespace muster
