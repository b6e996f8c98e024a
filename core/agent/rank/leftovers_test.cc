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
  std::vector<Leftover> leftovers() override { return {}; }
  bool sees_processes() override { return sees; }
  bool reads_from_another(const Leftover&, const std::vector<Leftover>&) override { return false; }
  LeftoverOrigin origin(const Leftover&) override { return {}; }
  bool holds_device_or_port(const Leftover&) override { return false; }
  void signal(const Leftover&, int) override {}
  void on_child_end(std::function<void()>) override {}

  bool sees = true;
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

}  // namespace
}  // namespace muster
