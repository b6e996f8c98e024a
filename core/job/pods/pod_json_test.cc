// SPDX-License-Identifier: Apache-2.0
#include "core/job/pods/pod_json.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Quantity, WholeUnits_AreWrittenAsKubernetesDoes) {
  EXPECT_EQ(quantity(0), "0");
  EXPECT_EQ(quantity(1000), "1000");
  EXPECT_EQ(quantity(1024), "1Ki");
  EXPECT_EQ(quantity(uint64_t{3} << 29), "1536Mi");
  EXPECT_EQ(quantity(uint64_t{1} << 30), "1Gi");
  EXPECT_EQ(quantity(uint64_t{1} << 60), "1048576Ti");
}

TEST(PodJson, Security_HasOnlyWhatIsWanted) {
  EXPECT_EQ(security_json({}), "{}");
  PodSecurity wanted;
  wanted.user = 5;
  wanted.capabilities = {"IPC_LOCK"};
  EXPECT_EQ(security_json(wanted), R"({"runAsUser":5,"capabilities":{"add":["IPC_LOCK"]}})");
  wanted.restricted = true;
  EXPECT_EQ(security_json(wanted), R"({"runAsUser":5,"capabilities":{"add":["IPC_LOCK"],"drop":["ALL"]},)"
                                   R"("runAsNonRoot":true,"allowPrivilegeEscalation":false,)"
                                   R"("seccompProfile":{"type":"RuntimeDefault"}})");
}

TEST(PodJson, AVolume_HasItsSourceAndItsMount) {
  VolumeSpec sets{.name = "sets", .mount = "/data", .sub_path = "a", .read_only = true, .claim = "c"};
  EXPECT_EQ(volume_json(sets, ""), R"({"name":"sets","persistentVolumeClaim":{"claimName":"c","readOnly":true}})");
  EXPECT_EQ(mount_json(sets), R"({"name":"sets","mountPath":"/data","readOnly":true,"subPath":"a"})");
  VolumeSpec conf{.name = "conf", .mount = "/conf", .files = {{"a", "b"}}};
  EXPECT_EQ(volume_json(conf, "job-conf"), R"({"name":"conf","configMap":{"name":"job-conf"}})");
}

TEST(PodJson, Volumes_BeginWithSharedMemoryIfItsSizeIsSet) {
  KubernetesSpec wanted;
  EXPECT_TRUE(volumes_of(wanted).empty());
  wanted.volumes = {{.name = "sets", .mount = "/data", .claim = "c"}};
  EXPECT_EQ(volumes_of(wanted), wanted.volumes);
  wanted.shm_bytes = uint64_t{1} << 30;
  const std::vector<VolumeSpec> volumes = volumes_of(wanted);
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volume_json(volumes[0], ""), R"({"name":"dshm","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}})");
  EXPECT_EQ(mount_json(volumes[0]), R"({"name":"dshm","mountPath":"/dev/shm"})");
  EXPECT_EQ(volumes[1], wanted.volumes[0]);
}

}  // namespace
}  // namespace muster
