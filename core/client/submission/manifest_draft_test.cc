// SPDX-License-Identifier: Apache-2.0
// Drafts of manifests, and the flag --cluster-runtimes.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/client/submission/job_draft.h"
#include "core/job/errors/explain.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::StartsWith;

constexpr const char* kTrainJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: mnist, namespace: team}\n"
    "spec: {runtimeRef: {name: own, kind: TrainingRuntime}, trainer: {command: [sleep, '1']}}\n";
constexpr const char* kPyTorchJob =
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: mnist}\nspec: {pytorchReplicaSpecs: {Master: "
    "{replicas: 1, template: {spec: {containers: [{name: pytorch, command: [sleep, '1']}]}}}}}\n";

class ManifestDraftTest : public testing::Test {
 protected:
  ManifestDraftTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-draft-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    here_.workdir = folder_;
    here_.environment = {{"HOME", folder_}, {"PATH", "/usr/bin:/bin"}};
    words_.flags.cluster_runtimes = true;
    words_.runtimes = [this](const RuntimeReference& wanted) -> Result<FoundRuntime> {
      asked_.push_back(wanted.kind + " " + wanted.name + " " + wanted.name_space);
      return answer_;
    };
  }
  ~ManifestDraftTest() override { fs::remove_all(folder_); }

  JobDraft drafted(const std::string& text) {
    std::ofstream(fs::path(folder_) / "job.yaml") << text;
    words_.files = {folder_ + "/job.yaml"};
    auto draft = draft_job(words_, here_, {});
    return draft.ok() ? *draft : JobDraft{};
  }

  std::string folder_;
  CallerContext here_;
  JobWords words_;
  std::vector<std::string> asked_;
  Result<FoundRuntime> answer_ = FoundRuntime();
};

TEST_F(ManifestDraftTest, RuntimeOfTheCluster_IsLookedForInTheNamespaceOfFlagsThenOfTheManifest) {
  drafted(kTrainJob);
  words_.flags.space = "mine";
  drafted(kTrainJob);
  EXPECT_THAT(asked_, ElementsAre("TrainingRuntime own team", "TrainingRuntime own mine"));
}

TEST_F(ManifestDraftTest, ClusterThatCannotBeAsked_IsTheFailureOfTheDraft) {
  answer_ = explained(Code::unavailable, "the API server does not answer; check the network", "E1653");
  const JobDraft draft = drafted(kTrainJob);
  EXPECT_EQ(draft.unasked.code(), Code::unavailable);
  ASSERT_EQ(draft.diagnostics.size(), 1u);
  EXPECT_EQ(draft.diagnostics[0].code, "E1653");
  EXPECT_EQ(draft.diagnostics[0].where.line, 4u);
  EXPECT_TRUE(draft.unread.ok());
}

TEST_F(ManifestDraftTest, RuntimeThatDoesNotExist_IsNoFailureOfTheCluster) {
  const JobDraft draft = drafted(kTrainJob);
  EXPECT_TRUE(draft.unasked.ok());
  ASSERT_EQ(draft.diagnostics.size(), 1u);
  EXPECT_EQ(draft.diagnostics[0].code, "E1805");
}

TEST_F(ManifestDraftTest, FlagForRuntimesOfTheCluster_IsNotedIfTheJobIsNoTrainJob) {
  const std::string note =
      "--cluster-runtimes has no effect: only TrainJobs use runtimes of a cluster, and this job is ";
  EXPECT_THAT(drafted(kPyTorchJob).remarks, Contains(note + "of the kind PyTorchJob"));
  EXPECT_THAT(drafted("command: [sleep, '1']\n").remarks, Contains(note + "not a manifest"));
  EXPECT_TRUE(asked_.empty());
  words_.flags.cluster_runtimes = false;
  words_.runtimes = {};
  EXPECT_THAT(drafted(kPyTorchJob).remarks, testing::Not(Contains(StartsWith("--cluster-runtimes"))));
}

TEST_F(ManifestDraftTest, FileOfTheImage_IsNamedWithTheWayIntoTheImage) {
  JobDraft draft = drafted(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: t}\nspec:\n  template:\n    spec:\n      containers:\n"
      "      - {name: a, image: i, command: [python3, /workspace/train.py]}\n");
  check_programs(draft, here_);
  ASSERT_EQ(draft.diagnostics.size(), 1u);
  EXPECT_EQ(draft.diagnostics[0].message, "there is no script `/workspace/train.py` on this machine");
  EXPECT_EQ(draft.diagnostics[0].where.column, 48u);
  EXPECT_THAT(draft.diagnostics[0].help, StartsWith("--in-image manifest runs the command in the image"));
}

TEST_F(ManifestDraftTest, FolderOfManifests_HoweverItsNameIsTyped_StartsRanksInTheFolderThatContainsIt) {
  fs::create_directories(fs::path(folder_) / "man/sub");
  std::ofstream(fs::path(folder_) / "man/job.yaml") << kPyTorchJob;
  words_.flags.cluster_runtimes = false;
  for (const char* typed : {"/man", "/man/", "/man/.", "/man/sub/..", "/man/sub/../"}) {
    words_.files = {folder_ + typed};
    const auto draft = draft_job(words_, here_, {});
    ASSERT_TRUE(draft.ok()) << typed;
    EXPECT_EQ(draft->spec.workdir, folder_) << typed;
  }
}

TEST_F(ManifestDraftTest, FileOfAFolderThatIsNotYaml_IsNamed) {
  const fs::path man = fs::path(folder_) / "man";
  fs::create_directories(man);
  std::ofstream(man / "cm.yaml") << "data: {k: [\n";
  std::ofstream(man / "job.yaml") << kPyTorchJob;
  words_.flags.cluster_runtimes = false;
  words_.files = {man};
  const auto draft = draft_job(words_, here_, {});
  EXPECT_FALSE(has_errors(draft->diagnostics));
  ASSERT_EQ(draft->diagnostics.size(), 1u);
  EXPECT_EQ(draft->diagnostics[0].where.file, man / "cm.yaml");
  EXPECT_THAT(draft->diagnostics[0].message, StartsWith("muster did not read this file: this is not YAML"));
  EXPECT_EQ(draft->spec.name, "mnist");
  std::string job = kPyTorchJob;
  std::ofstream(man / "job.yaml") << job.replace(job.find("command"), 0, "envFrom: [{configMapRef: {name: cm}}], ");
  const auto lacking = draft_job(words_, here_, {});
  ASSERT_EQ(lacking->diagnostics.size(), 2u);
  EXPECT_EQ(lacking->diagnostics[0].code, "E1807");
  EXPECT_THAT(lacking->diagnostics[0].help,
              testing::HasSubstr("; muster did not read `" + (man / "cm.yaml").string() + "`: not YAML"));
}

TEST_F(ManifestDraftTest, FlagForRuntimesOfTheCluster_IsNotNotedForATrainJob) {
  const JobDraft draft = drafted(kTrainJob);
  EXPECT_EQ(draft.manifest_kind, "TrainJob");
  EXPECT_EQ(cluster_runtimes_note(words_.flags, draft), "");
}

}  // namespace
}  // namespace muster
