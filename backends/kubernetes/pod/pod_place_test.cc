// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/pod_place.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/system/store/temp_folder_test.h"

namespace muster::pod {
namespace {

class PodPlaceTest : public store::TempFolderTest {
 protected:
  std::string words() { return content(folder_ + "/words"); }

  PodPlace place() {
    PodPlace place;
    place.folder = folder_ + "/muster";
    place.secrets = folder_;
    place.termination_message = folder_ + "/words";
    return place;
  }
};

TEST_F(PodPlaceTest, IsWhatTheManifestSays) {
  CallerContext caller;
  caller.environment = {{"MUSTER_POD_COORDINATOR", "job-coordinator-0-0.job"},
                        {"MUSTER_POD_GROUP", "1"},
                        {"JOB_COMPLETION_INDEX", "12"},
                        {"MUSTER_POD_UID", "uid"},
                        {"MUSTER_POD_ADDRESS", "10.0.0.7"}};
  const PodPlace place = pod_place(caller);
  EXPECT_EQ(place.folder, "/muster");
  EXPECT_EQ(place.secrets, "/muster-secret");
  EXPECT_EQ(place.termination_message, "/dev/termination-log");
  EXPECT_EQ(place.coordinator, "job-coordinator-0-0.job");
  EXPECT_EQ(place.self.group, 1u);
  EXPECT_EQ(place.self.index, 12u);
  EXPECT_EQ(place.self.uid, "uid");
  EXPECT_EQ(place.self.address, "10.0.0.7");
}

TEST_F(PodPlaceTest, Ranks_DoNotInheritPodVariables) {
  const auto left = without_pod_variables({{"PATH", "/bin"}, {"MUSTER_POD_UID", "uid"}, {"MUSTER", "mine"}});
  EXPECT_EQ(left, (std::map<std::string, std::string>{{"PATH", "/bin"}, {"MUSTER", "mine"}}));
}

TEST_F(PodPlaceTest, TerminationMessage_IsCutAtTheClustersLimit) {
  write_termination_message(place(), "it failed");
  EXPECT_EQ(words(), "it failed");
  std::string text(4095, 'x');
  write_termination_message(place(), text + "€uro");
  EXPECT_EQ(words(), text) << "the text is cut at a whole character";
}

TEST_F(PodPlaceTest, Identity_WithoutAToken_IsRefused) {
  const auto missing = identity_of(place());
  EXPECT_EQ(missing.status().code(), Code::not_found);
  std::ofstream(folder_ + "/token") << "short\n";
  EXPECT_EQ(identity_of(place()).status().code(), Code::invalid_argument);
  std::ofstream(folder_ + "/token") << "0123456789abcdef0123456789abcdef\n";
  EXPECT_TRUE(identity_of(place()).ok());
}

}  // namespace
}  // namespace muster::pod
