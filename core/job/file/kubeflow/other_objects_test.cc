// SPDX-License-Identifier: Apache-2.0
// Objects beside a job that muster neither reads nor creates.
#include <gmock/gmock.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string object(const std::string& version, const std::string& kind, const std::string& name) {
  return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\n---\n";
}

std::string job(const std::string& of_pod = "") {
  return pytorch(
      replica("Worker", 1, "name: pytorch, image: a, command: [./x]}]" + of_pod + ", tolerations: [{key: a"));
}

const std::string kOthers = object("v1", "Service", "web") + object("v1", "PersistentVolumeClaim", "sets") +
                            object("rbac.authorization.k8s.io/v1", "Role", "r") +
                            object("monitoring.coreos.com/v1", "PodMonitor", "m");

TEST(OtherObjects, BesideAJob_HaveOneNoteTogether) {
  const Translated here = translated(kOthers + job());
  EXPECT_EQ(here.told(), "");
  EXPECT_THAT(
      here.notes,
      Contains("job.yaml:1: not used here: Service `web`, PersistentVolumeClaim `sets`, Role `r`, PodMonitor `m`"));
  EXPECT_THAT(translated(object("kustomize.config.k8s.io/v1beta1", "Kustomization", "k") + job()).notes,
              Contains(HasSubstr("Kustomization `k`; to apply a Kustomization: kubectl kustomize")));
}

TEST(OtherObjects, InACluster_ThoseThatPodsNeedHaveANoteEach) {
  const Translated there =
      in_cluster(kOthers + object("v1", "ServiceAccount", "trainer") + job(", serviceAccountName: trainer"));
  EXPECT_EQ(there.told(), "");
  EXPECT_THAT(there.notes,
              Contains(HasSubstr("not created by muster: Service `web`, PersistentVolumeClaim `sets`, Role")));
  EXPECT_THAT(there.notes, Contains(HasSubstr("muster does not create the ServiceAccount `trainer`: create it in")));
}

TEST(OtherObjects, KindThatMayBeTheJob_IsRefusedWithAHint) {
  for (const auto& [version, kind] :
       {std::pair("kubeflow.org/v2", "PyTorchJob"), std::pair("trainer.kubeflow.org/v1alpha1", "TrainJb"),
        std::pair("batch/v1", "CronJob"), std::pair("batch.volcano.sh/v1alpha1", "Job"), std::pair("v1", "TrainJob"),
        std::pair("v1", "Configmap"), std::pair("v1", "secret")})
    EXPECT_EQ(translated(object(version, kind, "a") + job()).told().substr(0, 5), "E1804") << version << kind;
  const Translated cron = translated(object("batch/v1", "CronJob", "a") + job());
  ASSERT_EQ(cron.problems.size(), 1u);
  EXPECT_THAT(cron.problems[0].help, HasSubstr("; if the job does not need this object, move it away"));
}

TEST(OtherObjects, WithoutAJob_AreRefused) {
  EXPECT_EQ(translated(object("apps/v1", "Deployment", "d")).told(),
            "E1804 2:7 muster does not read the kind `Deployment` (apps/v1)\n");
  EXPECT_EQ(translated(object("v1", "Pod", "d")).told().substr(0, 9), "E1804 2:7");
  EXPECT_EQ(translated(object("v1", "Service", "d")).told(), "E1808 1:1 there is no job in these manifests\n");
}

}  // namespace
}  // namespace muster
