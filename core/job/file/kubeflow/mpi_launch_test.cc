// SPDX-License-Identifier: Apache-2.0
// Launchers of MPI in manifests: mpirun's flags are used, noted or refused.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

// An MPIJob with two workers of four slots each, whose launcher has this command.
Translated launched(const std::string& command) {
  return translated(
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec:\n  slotsPerWorker: 4\n"
      "  mpiReplicaSpecs:\n    Launcher: {template: {spec: {containers: [{name: l, command: " +
      command + "}]}}}\n    Worker: {replicas: 2, template: {spec: {containers: [{name: w}]}}}\n");
}

// Nodes and workers, as "2x4".
std::string size_of(const std::string& command) {
  const Translated job = launched(command);
  if (!job.told().empty()) return job.told();
  return std::to_string(job.group().max_nodes) + "x" + std::to_string(job.group().workers.count) +
         (job.spec.placement == Placement::cyclic ? " cyclic" : "");
}

TEST(MpiLaunch, FlagsWithValues_AreNotTheProgram) {
  const Translated job = launched(
      "[mpirun, -np, \"8\", --output-filename, /tmp/out, -launch-agent, /opt/orted, --stdin, none, ./pi, -v, \"1\"]");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command, (Words{"./pi", "-v", "1"}));
  EXPECT_EQ(job.group().workers, (AutoCount{false, 4}));
}

TEST(MpiLaunch, UnknownFlag_IsReportedAtItsPlace) {
  EXPECT_EQ(launched("[mpirun, -np, \"2\", --oversubscrib, ./pi]").told(),
            "E1701 7:85 unknown flag `--oversubscrib`; did you mean `--oversubscribe`?\n");
  EXPECT_EQ(launched("[mpirun, --rankfile, f, ./pi]").told().substr(0, 11), "E1703 7:75 ");
  EXPECT_EQ(launched("[mpirun, -np, two, ./pi]").told().substr(0, 11), "E1702 7:75 ");
}

TEST(MpiLaunch, SeveralProgramsOrAnAppfile_AreForMpirunInTheLauncher) {
  for (const char* command : {"[mpirun, -np, \"1\", ./a, \":\", -np, \"1\", ./b]", "[mpirun, --app, programs]",
                              "[mpirun, --path, /opt/bin, pi]"}) {
    const Translated job = launched(command);
    EXPECT_EQ(job.told(), "");
    EXPECT_EQ(job.spec.groups.size(), 2u) << command;
  }
}

TEST(MpiLaunch, WorkdirTimeoutAndRestarts_AreThoseOfTheJob) {
  const Translated job = launched("[mpirun, --wdir, /data, --timeout, \"90\", --max-restarts, \"2\", ./pi]");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.workdir, "/data");
  EXPECT_EQ(job.spec.timeouts.run, std::chrono::seconds(90));
  EXPECT_EQ(job.spec.restarts.limit, 2u);
}

TEST(MpiLaunch, Variables_ReplaceThoseOfTheLauncher) {
  const Translated job =
      launched("[mpirun, -x, A=2, -x, PATH, --mca, btl, tcp, -genv, B, \"3\", ./pi], env: [{name: A, value: \"1\"}]");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.env.at("A").literal, "2");
  EXPECT_EQ(job.spec.env.at("B").literal, "3");
  EXPECT_EQ(job.spec.env.at("OMPI_MCA_btl").literal, "tcp");
  EXPECT_FALSE(job.spec.env.contains("PATH"));
}

TEST(MpiLaunch, Sizes_FollowMpirunsRules) {
  EXPECT_EQ(size_of("[mpirun, ./pi]"), "2x4");
  EXPECT_EQ(size_of("[mpirun, -np, \"3\", ./pi]"), "1x3");
  EXPECT_EQ(size_of("[mpirun, -np, \"8\", ./pi]"), "2x4");
  EXPECT_EQ(size_of("[mpirun, -npernode, \"2\", ./pi]"), "2x2");
  EXPECT_EQ(size_of("[mpirun, -np, \"2\", -N, \"2\", ./pi]"), "1x2");
  EXPECT_EQ(size_of("[mpirun, --map-by, \"ppr:1:node\", ./pi]"), "2x1");
  EXPECT_EQ(size_of("[mpirun, -np, \"4\", --map-by, node, ./pi]"), "2x2 cyclic");
  EXPECT_EQ(size_of("[mpirun, -np, \"2\", --map-by, node, ./pi]"), "2x1");
  EXPECT_EQ(size_of("[mpirun, -np, \"16\", --oversubscribe, ./pi]"), "2x8");
  EXPECT_EQ(size_of("[mpirun, -np, \"16\", ./pi]").substr(0, 5), "E1806");
  EXPECT_EQ(size_of("[mpirun, -np, \"5\", ./pi]").substr(0, 5), "E1806");
  EXPECT_EQ(size_of("[mpirun, -N, \"8\", ./pi]").substr(0, 5), "E1806");
  EXPECT_EQ(size_of("[mpirun, --map-by, \"ppr:1:socket\", ./pi]").substr(0, 5), "E1806");
  EXPECT_EQ(size_of("[mpirun, --map-by, somehow, ./pi]").substr(0, 5), "E1702");
}

TEST(MpiLaunch, CountsThatNoJobHas_AreRefused) {
  const auto deepspeed = [](const std::string& trainer) {
    return translated(
               "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n"
               "  runtimeRef: {name: deepspeed-distributed}\n  trainer: {command: [mpirun, python, x.py], " +
               trainer + "}\n")
        .told()
        .substr(0, 5);
  };
  EXPECT_EQ(deepspeed("numProcPerNode: 18446744073709551615"), "E1802");
  EXPECT_EQ(deepspeed("numProcPerNode: 99999999999999999999999"), "E1802");
  EXPECT_EQ(deepspeed("numProcPerNode: 0"), "E1802");
  EXPECT_EQ(deepspeed("numProcPerNode: auto, resourcesPerNode: {limits: {nvidia.com/gpu: 9000000000000000000}}"),
            "E1802");
  EXPECT_EQ(size_of("[mpirun, -N, \"18446744073709551615\", --oversubscribe, ./pi]").substr(0, 5), "E1702");
  EXPECT_EQ(size_of("[mpirun, -n, \"18446744073709551615\", --oversubscribe, ./pi]").substr(0, 5), "E1702");
}

TEST(MpiLaunch, ReferencesInVariablesAndWorkdir_AreRefused) {
  const std::string pod = "], env: [{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}";
  EXPECT_EQ(launched("[mpirun, -x, NODE=$(POD), ./pi" + pod + "]").told().substr(0, 5), "E1803");
  EXPECT_EQ(launched("[mpirun, --wdir, /d/$(POD), ./pi" + pod + "]").told().substr(0, 5), "E1803");
  EXPECT_EQ(launched("[mpirun, -x, NODE=$(NO), ./pi" + pod + "]").told(), "");
}

TEST(MpiLaunch, FlagsAboutHostsOutputAndBinding_AreNoted) {
  const Translated job = launched(
      "[mpirun, -hostfile, /etc/mpi/hostfile, -H, \"a:4\", --tag-output, --bind-to, core, --report-bindings, ./pi]");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(
      job.notes,
      (Words{"job.yaml:7: --report-bindings has no effect: `muster describe JOB` shows hosts and CPUs of the ranks",
             "job.yaml:7: -H has no effect: the ranks run on the nodes of the manifest",
             "job.yaml:7: mpirun's flags about output and stdin have no effect: muster keeps the output of each rank",
             "job.yaml:7: mpirun does not bind ranks here: their CPUs are those of the pod, divided among them"}));
}

TEST(MpiLaunch, WithoutAProgram_IsRefused) { EXPECT_EQ(launched("[mpirun, -np, \"2\"]").told().substr(0, 5), "E1706"); }

}  // namespace
}  // namespace muster
