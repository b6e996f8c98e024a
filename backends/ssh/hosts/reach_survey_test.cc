// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/reach_survey.h"

#include <signal.h>

#include <algorithm>

#include "backends/ssh/session/stand_in_host.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

class ReachSurveyTest : public StandInHostTest {
 protected:
  // The pids of all ssh processes that were started.
  std::vector<pid_t> sshs() const {
    std::vector<pid_t> pids;
    for (const auto& entry : fs::directory_iterator(folder_ + "/pids"))
      pids.push_back(std::stoi(entry.path().filename()));
    return pids;
  }
};

TEST_F(ReachSurveyTest, HostsThatDoNotComeAreGivenUpForGood) {
  constexpr size_t kHosts = 20;
  fs::create_directory(folder_ + "/pids");
  stand_in("case \"$*\" in *-G*) exit 1;; esac; : > '" + folder_ + "/pids/'$$; exec sleep 1000");
  std::vector<ReachHost> hosts;
  for (size_t i = 0; i < kHosts; ++i) hosts.push_back({"a" + std::to_string(i), "10.0.0.1"});
  bool over = false;
  const ReachSurvey survey(
      loop_, access(), hosts, [&] { over = true; }, std::chrono::milliseconds(200));
  ASSERT_TRUE(run_until(loop_, [&] { return over; }));
  EXPECT_EQ(survey.blocked().size(), kHosts);
  EXPECT_TRUE(run_until(loop_, [this] {
    const std::vector<pid_t> all = sshs();
    return std::none_of(all.begin(), all.end(), [](pid_t each) { return kill(each, 0) == 0; });
  })) << "no ssh is left while the survey lasts";
}

}  // namespace
}  // namespace muster
