// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/leftovers.h"

#include <gmock/gmock.h>

#include "test/sim/sim_loop.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Host final : public LeftoverHost {
 public:
  std::vector<Leftover> leftovers() override { return found; }
  bool sees_processes() override { return sees; }
  bool reads_from_another(const Leftover&, const std::vector<Leftover>&) override { return false; }
  LeftoverOrigin origin(const Leftover& leftover) override { return {"tail", "", 0, leftover.session == kService}; }
  bool holds_device_or_port(const Leftover&) override { return false; }
  void signal(const Leftover&, int) override {}
  void on_child_end(std::function<void()>) override {}

  static constexpr int64_t kService = 7;
  bool sees = true;
  std::vector<Leftover> found;
};

std::vector<std::string> told_at_start(bool sees) {
  sim::SimLoop loop;
  Host host;
  host.sees = sees;
  std::vector<std::string> told;
  Leftovers leftovers(loop, host, {[] {}, [&](const std::string& sentence) { told.push_back(sentence); }, [] {}});
  leftovers.bind({}, " on a2");
  return told;
}

TEST(Leftovers, Bind_WithoutProc_TellsThatNoneWillBeEnded) {
  EXPECT_THAT(told_at_start(false), ElementsAre(HasSubstr("cannot see processes on a2")));
  EXPECT_THAT(told_at_start(true), ElementsAre());
}

// It ends with its service, not with the ranks of this node.
TEST(Leftovers, Over_AProcessOfAServiceProgram_IsSparedAndBlocksNothing) {
  sim::SimLoop loop;
  Host host;
  std::vector<std::string> told;
  Leftovers leftovers(loop, host, {[] {}, [&](const std::string& sentence) { told.push_back(sentence); }, [] {}});
  leftovers.bind({}, "");
  leftovers.begin(1);
  host.found = {{{70, 1}, Host::kService}};
  leftovers.over();
  EXPECT_TRUE(leftovers.settled());
  EXPECT_THAT(leftovers.spared(), ElementsAre(70));
  EXPECT_THAT(leftovers.spared_after_services(), ElementsAre());
  loop.run_for(std::chrono::minutes(1));
  EXPECT_THAT(told, ElementsAre());
  leftovers.begin(2);
  host.found.push_back({{80, 1}, 8});
  leftovers.over();
  EXPECT_FALSE(leftovers.settled()) << "it waits for that of a rank";
}

}  // namespace
}  // namespace muster
