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
  EXPECT_EQ(volume_json(shm_volume(uint64_t{1} << 30), ""),
            R"({"name":"dshm","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}})");
  EXPECT_EQ(mount_json(shm_volume(1)), R"({"name":"dshm","mountPath":"/dev/shm"})");
}

}  // namespace
}  // namespace muster
