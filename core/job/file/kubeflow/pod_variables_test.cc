// SPDX-License-Identifier: Apache-2.0
// Variables of containers, and references to them in commands.
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/text.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

std::string worker(const std::string& command, const std::string& env, const std::string& more = "") {
  return pytorch(replica("Worker", 1, "name: pytorch, command: " + command + ", env: [" + env + "]"), more);
}

std::string index_field(const std::string& name) {
  return "{name: " + name +
         ", valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}}";
}

TEST(References, ToValuesOfTheManifest_AreFilledIn) {
  const Translated job = translated(worker("[python, t.py, \"$(A)/$$(A)/$(NO)\", \"$(A$(A)\"]",
                                           "{name: A, value: x}, {name: B, value: \"$(A)$(C)\"}, {name: C, value: y}"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command, (Words{"python", "t.py", "x/$(A)/$(NO)", "$(A$(A)"}));
  EXPECT_EQ(job.spec.env.at("B").literal, "x$(C)");  // C is defined later
}

TEST(References, ToVariablesOfTheController_AreFilledInByAShellOfTheRank) {
  const Translated job = translated(worker("[python, t.py, --rank, \"$(RANK) of $(WORLD_SIZE)\", \"it's\"]", ""));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::torch);
  EXPECT_EQ(job.group().command,
            (Words{"/bin/sh", "-c",
                   "exec python t.py --rank \"${RANK-\\$(RANK)}\"' of '\"${WORLD_SIZE-\\$(WORLD_SIZE)}\" 'it'\\''s'"}));
}

TEST(References, ToRankWithSeveralProcesses_AreTheNumberOfThePod) {
  const Translated job = translated(worker(
      "[torchrun, t.py, \"$(RANK)\", \"$(PET_NNODES)\", \"$(PET_NPROC_PER_NODE)\"]", "", "  nprocPerNode: \"2\"\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command[2],
            "exec python t.py \"${GROUP_RANK-\\$(GROUP_RANK)}\" \"${PET_NNODES-\\$(PET_NNODES)}\" "
            "\"${PET_NPROC_PER_NODE-\\$(PET_NPROC_PER_NODE)}\"");
  EXPECT_EQ(job.spec.custom.at("PET_NNODES"), "${nodes}");
  EXPECT_EQ(job.spec.custom.at("PET_NPROC_PER_NODE"), "2");
}

TEST(References, ToVariablesThatNoShellCanName_AreRefused) {
  const Translated job = translated(
      worker("[python, t.py, \"$(my.v)\"]", "{name: my.v, valueFrom: {fieldRef: {fieldPath: metadata.name}}}"));
  EXPECT_EQ(job.told().substr(0, 5), "E1803");
  EXPECT_EQ(translated(worker("[python, t.py, \"$(my.v)\"]", "{name: my.v, value: a}")).group().command[2], "a");
}

TEST(References, CharacterThatMarksThem_IsRefusedInWordsNamesAndValues) {
  const std::string marked = "\"a\\x1fRANK\\x1fb\"";
  EXPECT_EQ(translated(worker("[python, t.py, " + marked + "]", "")).told().substr(0, 5), "E1802");
  EXPECT_EQ(translated(worker("[python, t.py, \"$(A)\"]", "{name: A, value: " + marked + "}")).told().substr(0, 5),
            "E1802");
  EXPECT_EQ(translated(worker("[python, t.py]", "{name: " + marked + ", value: a}")).told().substr(0, 5), "E1802");
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: YR9SQU5LH2I=}\n---\n" +
      worker("[python, t.py, \"$(A)\"]", "{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}");
  EXPECT_EQ(translated(secret).told().substr(0, 5), "E1802");
  ManifestPlace typed;
  typed.typed_command = {"python", "a\x1fRANK\x1f"};
  EXPECT_EQ(translated(worker("[]", ""), typed).told().substr(0, 5), "E1802");
}

TEST(References, InFlagsOfTorchrun_AreLeftToMuster) {
  const Translated job = translated(
      worker("[torchrun, \"--nnodes=$(WORLD_SIZE)\", \"--node_rank=$(RANK)\", --nproc_per_node=2, t.py]", ""));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command, (Words{"python", "t.py"}));
  EXPECT_EQ(job.group().workers, (AutoCount{false, 2}));
}

TEST(References, ToFieldsOfThePod_AreFilledInByAShellOfTheRank) {
  const Translated job = translated(manifest("batch/v1", "Job",
                                             "  completionMode: Indexed\n  parallelism: 2\n  completions: 2\n  "
                                             "template: {spec: {containers: [{name: x, command: [./x, "
                                             "\"$(OUT)\", \"$(JOB_COMPLETION_INDEX)\"], env: [" +
                                                 index_field("I") + ", {name: OUT, value: \"/out/$$/$(I)\"}]}]}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command[2],
            "exec ./x \"${OUT-\\$(OUT)}\" \"${JOB_COMPLETION_INDEX-\\$(JOB_COMPLETION_INDEX)}\"");
  EXPECT_EQ(job.spec.custom.at("OUT"), "/out/$$/${group_node}");
}

TEST(References, ToSecretsOfACluster_AreFilledInThere) {
  const Translated job = in_cluster(pytorch(replica(
      "Worker", 1,
      "name: pytorch, image: a, command: [python, t.py, \"$(T)\"], env: [{name: T, valueFrom: {secretKeyRef: {name: s, "
      "key: k}}}, {name: U, value: \"a$$b$(T)\"}]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().command[2], "exec python t.py \"${T-\\$(T)}\"");
  EXPECT_NE(job.spec.kubernetes.patch.find("\"value\":\"a$$b$(T)\""), std::string::npos) << job.spec.kubernetes.patch;
}

constexpr const char* kSecrets =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {TOKEN: hunter2, a.b: dots}\n---\n"
    "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {TOKEN: swordfish}\n---\n";

std::string secret_ref(const std::string& name, const std::string& secret) {
  return "{name: " + name + ", valueFrom: {secretKeyRef: {name: " + secret + ", key: TOKEN}}}";
}

TEST(Variables, OfASecretOnHosts_AreReferencesInTheJobFile) {
  const Translated job =
      translated(kSecrets + worker("[python, t.py]", secret_ref("T", "s") +
                                                         ", {name: U, value: \"$(T)x\"}], envFrom: [{prefix: P_, "
                                                         "secretRef: {name: s}}"));
  ASSERT_EQ(job.told(), "");
  for (const char* name : {"T", "U", "P_TOKEN"})
    EXPECT_EQ(job.spec.env.at(name).secret, (SecretSource{SecretSource::Kind::manifest, name, false})) << name;
  EXPECT_EQ(job.secrets,
            (std::map<std::string, std::string>{{"T", "hunter2"}, {"U", "hunter2x"}, {"P_TOKEN", "hunter2"}}));
  EXPECT_EQ(job.spec.env.at("P_a.b").literal, "dots") << "no shell can have this variable";
  EXPECT_NE(
      join(job.notes, "\n").find("the value of `P_a.b` in the pods of `worker` becomes a part of the job's record"),
      std::string::npos)
      << join(job.notes, "\n");
}

TEST(Variables, OfASecretInACommand_AreFilledInWhenItStarts) {
  const Translated job = translated(
      kSecrets + worker("[bash, -c, \"torchrun --nproc-per-node 2 t.py --token=$(T)\"]", secret_ref("T", "s")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::torch);
  EXPECT_EQ(job.group().workers.count, 2u);
  EXPECT_EQ(spec_to_json(job.spec).find("hunter2"), std::string::npos) << spec_to_json(job.spec);
  EXPECT_NE(job.group().command.at(2).find("${T-"), std::string::npos) << job.group().command.at(2);
  EXPECT_EQ(join(job.notes, "\n").find("Secret"), std::string::npos) << join(job.notes, "\n");
}

TEST(Variables, OfASecretWithAnIndexOrAHostName_AreNoted) {
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: u}\nstringData: {TOKEN: "
      "\"tcp://me@mnist-worker-0:1\"}\n---\n";
  const std::string notes =
      join(translated(kSecrets + secret +
                      worker("[torchrun, t.py]",
                             secret_ref("T", "s") + ", " + secret_ref("V", "u") +
                                 ", {name: I, valueFrom: {fieldRef: {fieldPath: \"metadata.annotations["
                                 "'batch.kubernetes.io/job-completion-index']\"}}}, {name: U, value: \"$(T)-$(I)\"}"))
               .notes,
           "\n");
  EXPECT_NE(notes.find("`U` has the value of a Secret and an index"), std::string::npos) << notes;
  EXPECT_NE(notes.find("`V` has a value of a Secret with the name of the first pod"), std::string::npos) << notes;
}

TEST(Variables, OfASecretInOneGroup_AreNotThoseOfAnother) {
  const auto pod = [](const std::string& script, const std::string& variable) {
    return "name: pytorch, command: [python, " + script + "], env: [" + variable + "]";
  };
  const std::string empty = "{name: T, value: \"\"}";
  for (const bool first : {true, false}) {
    const Translated job =
        translated(kSecrets + pytorch(replica("Master", 1, pod("a.py", first ? secret_ref("T", "s") : empty)) +
                                      replica("Worker", 1, pod("b.py", first ? empty : secret_ref("T", "s")))));
    ASSERT_EQ(job.told(), "");
    EXPECT_TRUE(job.spec.env.empty());
    EXPECT_EQ(job.group(0).env.at("T").secret.has_value(), first);
    EXPECT_EQ(job.group(1).env.at("T").secret.has_value(), !first);
  }
}

TEST(Variables, OfTwoSecretsWithOneName_AreBothGiven) {
  const auto pod = [](const std::string& script, const std::string& secret) {
    return "name: pytorch, command: [python, " + script +
           "], env: [{name: T, valueFrom: {secretKeyRef: {name: " + secret + ", key: TOKEN}}}]";
  };
  const Translated job = translated(
      kSecrets + pytorch(replica("Master", 1, pod("a.py", "s")) + replica("Worker", 1, pod("b.py", "other"))));
  ASSERT_EQ(job.told(), "");
  EXPECT_TRUE(job.group(0).env.at("T").secret);
  EXPECT_EQ(job.group(1).env.at("T").literal, "swordfish");
  EXPECT_EQ(job.secrets, (std::map<std::string, std::string>{{"T", "hunter2"}}));
}

TEST(Variables, OfASecretInACluster_AreNotInTheJobSet) {
  const std::string text =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {TOKEN: hunter2}\n---\n" +
      pytorch(replica("Worker", 1,
                      "name: pytorch, image: a, command: [python, t.py, \"$(T)\"], env: [{name: T, valueFrom: "
                      "{secretKeyRef: {name: s, key: TOKEN}}}, {name: U, value: \"$(T)x\"}], envFrom: [{prefix: P_, "
                      "secretRef: {name: s}}]"));
  const Translated job = in_cluster(text);
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(spec_to_json(job.spec).find("hunter2"), std::string::npos) << spec_to_json(job.spec);
  EXPECT_EQ(job.group().command[2], "exec python t.py \"${T-\\$(T)}\"");
  const std::string& patch = job.spec.kubernetes.patch;
  for (const char* entry : {R"({"name":"T","valueFrom":{"secretKeyRef":{"name":"s","key":"TOKEN"}}})",
                            R"({"name":"P_TOKEN","valueFrom":{"secretKeyRef":{"name":"s","key":"TOKEN"}}})",
                            R"({"name":"U","value":"$(T)x"})"})
    EXPECT_NE(patch.find(entry), std::string::npos) << entry << "\n" << patch;
  EXPECT_EQ(job.notes,
            (Words{"job.yaml:3: muster does not create the Secret `s`: create it in the cluster before the job"}));
  const Translated on_hosts = translated(text);
  EXPECT_TRUE(on_hosts.spec.env.at("P_TOKEN").secret);
  EXPECT_EQ(spec_to_json(on_hosts.spec).find("hunter2"), std::string::npos);
  EXPECT_EQ(on_hosts.notes.size(), 1u) << "about the image";
}

TEST(Variables, OfAConfigMapInACluster_AreInTheJobWithoutIt) {
  const auto in_pod = [](const std::string& pod) {
    return in_cluster("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {A: x}\n---\n" +
                      pytorch(replica("Worker", 1, "name: pytorch, image: a, command: [./x]" + pod)));
  };
  const Translated variable = in_pod(", env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: A}}}]");
  EXPECT_EQ(variable.spec.env.at("A").literal, "x");
  EXPECT_EQ(variable.notes, Words{});
  const Translated volume = in_pod("}], volumes: [{name: v, configMap: {name: c}");
  ASSERT_EQ(volume.told(), "");
  EXPECT_EQ(volume.notes.size(), 1u);
}

TEST(Variables, FromFieldsOfThePod_AreSetWithEveryFramework) {
  const Translated job = translated(
      worker("[torchrun, t.py]", index_field("POD_INDEX") + ", " + index_field("RANK"), "  nprocPerNode: \"2\"\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("POD_INDEX"), "${node}");
  EXPECT_FALSE(job.spec.custom.contains("RANK"));
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("`RANK` of the container has no effect"), std::string::npos) << job.notes[0];
}

TEST(Variables, NamespaceOfThePod_IsThatOfTheJob) {
  const std::string env = "{name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}";
  std::string text = worker("[python, t.py]", env);
  EXPECT_EQ(translated(text).spec.env.at("NS").literal, "default");
  text.replace(text.find("{name: mnist}"), 13, "{name: mnist, namespace: team}");
  EXPECT_EQ(translated(text).spec.env.at("NS").literal, "team");
}

TEST(Variables, LongerThanLinuxAllows_AreRefused) {
  const std::string long_text = "{name: A, value: " + std::string(100'000, 'x') + "}, {name: B, value: \"$(A)$(A)\"}";
  EXPECT_NE(translated(worker("[x]", long_text)).told().find("longer than 128 KiB"), std::string::npos);
}

TEST(Variables, PathsThatTheReferenceLists_AreRead) {
  std::ifstream page(std::string(MUSTER_SOURCE_DIR) + "/docs/reference/kubeflow-values.md");
  size_t count = 0;
  for (std::string line; std::getline(page, line);) {
    for (const std::string& word : split(line.substr(0, line.rfind("` |")), '`')) {
      const bool is_path = word.starts_with("metadata.") || word == "status.podIP" || word == "spec.nodeName";
      if (!is_path) continue;
      const std::string text = pytorch(replica(
          "Worker", 1,
          "name: pytorch, command: [./x], env: [{name: A, valueFrom: {fieldRef: {fieldPath: \"" + word + "\"}}}]"));
      EXPECT_EQ(translated(text).told(), "") << word;
      ++count;
    }
  }
  EXPECT_EQ(count, 14u);
}

}  // namespace
}  // namespace muster
