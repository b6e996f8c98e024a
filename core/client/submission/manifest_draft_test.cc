// SPDX-License-Identifier: Apache-2.0
// Drafts of manifests, and runtimes of a cluster.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/client/submission/job_draft.h"
#include "core/job/errors/explain.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* kTrainJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: mnist, namespace: team}\n"
    "spec: {runtimeRef: {name: own, kind: TrainingRuntime}, trainer: {command: [sleep, '1']}}\n";

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

}  // namespace
}  // namespace muster
